import type { AccountStore } from "./accounts.ts";
import type { BatchStore } from "./batches.ts";
import type { RateLimiter } from "./rate-limiter.ts";
import type { RenderLeases } from "./render-leases.ts";
import type { Ledger } from "./ledger.ts";
import type { RenderingStore } from "./renderings.ts";
import type { TokenStore } from "./tokens.ts";

/** Everything that the engine keeps. */
export interface Storage {
  readonly accounts: AccountStore;
  readonly tokens: TokenStore;
  readonly ledger: Ledger;
  readonly renderings: RenderingStore;
  readonly rateLimiter: RateLimiter;
  readonly batches: BatchStore;
  /** Of a storage that several processes render for; without it identical requests are shared within each alone. */
  readonly renderLeases?: RenderLeases | undefined;
  /** Rejects while the storage can't take a write. */
  check(): Promise<void>;
  close(): Promise<void>;
}
