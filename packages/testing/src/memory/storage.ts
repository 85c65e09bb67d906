import type { Account, Storage, TokenRecord } from "@snap/engine/ports";
import { createAccountStore } from "./accounts.ts";
import { createAuditStore } from "./audit.ts";
import { createBatchStore } from "./batches.ts";
import { createDocumentStore } from "./documents.ts";
import { createHistoryStore } from "./history.ts";
import { createRateLimiter } from "./rate-limiter.ts";
import { createLedger } from "./ledger.ts";
import { createRenderingStore } from "./renderings.ts";
import { createSignInStore } from "./sign-ins.ts";
import { createTokenStore } from "./tokens.ts";

export interface MemoryStorageOptions {
  /** Quota of the rendering cache; none by default. */
  readonly cacheMaxBytes?: number | undefined;
}

/**
 * Creates a storage in memory, for tests. It is also the reference model for the suites: simple, not fast.
 *
 * @example
 * const storage = createMemoryStorage();
 * const engine = createEngine({ storage, renderer: createFakeRenderer(), secretKey: "for tests only 123" });
 */
export function createMemoryStorage({ cacheMaxBytes }: MemoryStorageOptions = {}): Storage {
  const accounts = new Map<string, Account>();
  const maps = { tokens: new Map<number, TokenRecord>(), accounts };
  const deletions = new Map<string, number>();
  const ledger = createLedger(deletions);
  const tokens = createTokenStore(maps, ledger);
  return {
    accounts: createAccountStore({ accounts, deletions, revokeAll: (id) => void tokens.revokeAll(id) }),
    tokens,
    ledger,
    renderings: createRenderingStore({ maxBytes: cacheMaxBytes ?? null, deletions }),
    rateLimiter: createRateLimiter(),
    batches: createBatchStore({ ledger, deletions }),
    documents: createDocumentStore(deletions),
    audit: createAuditStore(),
    history: createHistoryStore(deletions),
    signIns: createSignInStore(),
    async lastBackupAt() {
      return null;
    },
    async check() {},
    async close() {},
  };
}
