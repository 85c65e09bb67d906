import type { Storage } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { testAccountDeletion } from "./account-deletion.ts";
import { testAccountStore } from "./accounts.ts";
import { testAuditStore } from "./audit.ts";
import { testBatchStore } from "./batches.ts";
import { testDocumentsOfDeletedAccounts, testDocumentStore } from "./documents.ts";
import { testHistoryOfDeletedAccounts, testHistoryStore } from "./history.ts";
import { testRateLimiter } from "./rate-limiter.ts";
import { testLedger } from "./ledger.ts";
import { testRenderingStore, type RenderingSuiteOptions } from "./renderings.ts";
import { testSignInStore } from "./sign-ins.ts";
import { defineSuite } from "./suite.ts";
import type { OpenStorage, SuiteRunner } from "./suite.ts";
import { testTokenStore } from "./tokens.ts";

export interface StorageSuiteOptions extends RenderingSuiteOptions {
  /** Repeats the random calls of an earlier run. */
  readonly seed?: number;
}

/**
 * Tests a complete `Storage`: runs the suites of all ports; `open` returns a new, empty storage for each test. Use
 * `testRenderLeases` for the optional render leases.
 *
 * @example
 * import { testStorage } from "@snap/testing";
 * import { describe, it } from "vitest";
 *
 * testStorage({ describe, it }, async ({ cacheMaxBytes }) => {
 *   const storage = await openMyStorage({ cacheMaxBytes });
 *   return { storage, close: () => storage.close() };
 * });
 */
export function testStorage(runner: SuiteRunner, open: OpenStorage, options: StorageSuiteOptions = {}): void {
  testAccountStore(runner, open);
  testTokenStore(runner, open);
  testLedger(runner, open, options);
  testRenderingStore(runner, open, options);
  testRateLimiter(runner, open);
  testBatchStore(runner, open, options);
  testDocumentStore(runner, open);
  testHistoryStore(runner, open);
  defineSuite<keyof Storage>({ runner, open, name: "Storage: deleted accounts" }, (test) => {
    testAccountDeletion(test);
    testDocumentsOfDeletedAccounts(test);
    testHistoryOfDeletedAccounts(test);
  });
  testAuditStore(runner, open);
  testSignInStore(runner, open);
  defineSuite<keyof Storage>({ runner, open, name: "Storage" }, (test) => {
    test("passes its check repeatedly without leaving a trace", async (storage) => {
      const { accounts, batches, renderings, history, audit } = storage;
      const read = async (): Promise<unknown> => [
        await accounts.list(),
        await storage.tokens.findNewest(),
        (await batches.page({ limit: 10 })).entries,
        (await renderings.stats())?.bytes,
        (await history.page({ limit: 10 })).entries,
        await audit.list({ since: 0 }),
        await storage.lastBackupAt(),
      ];
      const before = await read();
      for (let time = 0; time < 3; time += 1) await storage.check();
      assert.deepEqual(await read(), before);
    });
  });
}
