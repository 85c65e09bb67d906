import type { BatchStore, AttemptFilter, AttemptRecord } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { finished, sampleBatch, SUBMITTED_AT } from "./batch-samples.ts";
import { assertUncountedPages } from "./pages.ts";
import { concurrently, overwrite, UNUSUAL_STRINGS, type DefineTest } from "./suite.ts";

/** Returns an attempt to deliver the webhook of `batch_1`. `sequence` determines its id and start time. */
function attempt(sequence: number, change: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    id: `dlv_${(SUBMITTED_AT + sequence).toString(16).padStart(12, "0")}000000000000`,
    batchId: "batch_1",
    accountId: "acct_1",
    at: SUBMITTED_AT + sequence,
    attempt: 1,
    durationMs: 120,
    status: 500,
    failure: null,
    body: "Not today.",
    ...change,
  };
}

const NO_RESPONSE = { status: null, body: null } as const;

/** In the order of their ids. New objects each time, because a test overwrites what a storage returns. */
const sampleAttempts = (): AttemptRecord[] => [
  attempt(0),
  attempt(1, { ...NO_RESPONSE, attempt: 2, failure: "timed-out" }),
  attempt(2, { batchId: "batch_2", accountId: "acct_2", status: 204, body: "" }),
  attempt(3, { ...NO_RESPONSE, attempt: 3, failure: "token-revoked", durationMs: 0 }),
  attempt(4, { batchId: "batch_3", body: `${"路".repeat(680)}\n"\u2028` }),
];

async function insertBatches(batches: BatchStore): Promise<void> {
  await batches.insert(finished(sampleBatch()));
  await batches.insert(finished(sampleBatch({ id: "batch_2", accountId: "acct_2" })));
  await batches.insert(finished(sampleBatch({ id: "batch_3" }), { retentionMs: 2000 }));
}

/** Tests how a batch store records webhook delivery attempts. */
export function testDeliveryAttempts(test: DefineTest<"batches">): void {
  test("returns every field of an attempt", async ({ batches }) => {
    await insertBatches(batches);
    for (const record of sampleAttempts()) await batches.recordAttempt(record);
    overwrite(await batches.attempts({ limit: 10 }));
    const { entries } = await batches.attempts({ limit: 10 });
    assert.deepEqual(entries, sampleAttempts().toReversed());
  });

  test("returns pages of attempts, newest first, for each filter", async ({ batches }) => {
    await insertBatches(batches);
    const records = sampleAttempts();
    for (const index of [3, 0, 4, 2, 1]) await batches.recordAttempt(records[index] ?? attempt(9));
    const selections: readonly (readonly [filter: AttemptFilter, sequences: readonly number[]])[] = [
      [{}, [4, 3, 2, 1, 0]],
      [{ batchId: "batch_1" }, [3, 1, 0]],
      [{ accountId: "acct_1" }, [4, 3, 1, 0]],
      [{ accountId: "acct_2", batchId: "batch_2" }, [2]],
      [{ accountId: "acct_2", batchId: "batch_1" }, []],
      [{ batchId: "batch_4" }, []],
      [{ batchId: "a\0b" }, []],
      [{ accountId: "a\0b" }, []],
    ];
    for (const [filter, sequences] of selections)
      await assertUncountedPages(
        (request) => batches.attempts({ ...request, ...filter }),
        sequences.map((sequence) => attempt(sequence).id),
      );
    for (const after of [attempt(5).id, "", "a\0b", ...UNUSUAL_STRINGS])
      assert.deepEqual(await batches.attempts({ after, limit: 10 }), { entries: [], hasMore: false });
  });

  test("does not store an attempt for an unknown batch", async ({ batches }) => {
    for (const batchId of ["batch_1", "", "a\0b", ...UNUSUAL_STRINGS])
      await batches.recordAttempt(attempt(0, { batchId }));
    assert.deepEqual(await batches.attempts({ limit: 10 }), { entries: [], hasMore: false });
  });

  test("stores only the latest 100 attempts for each batch", async ({ batches }) => {
    await insertBatches(batches);
    await batches.recordAttempt(attempt(0, { batchId: "batch_2", accountId: "acct_2" }));
    await concurrently((index) => batches.recordAttempt(attempt(index + 1)));
    await batches.recordAttempt(attempt(102));
    await batches.recordAttempt(attempt(101));
    const { entries, hasMore } = await batches.attempts({ batchId: "batch_1", limit: 100 });
    assert.deepEqual(
      entries.map(({ id }) => id),
      Array.from({ length: 100 }, (_, index) => attempt(102 - index).id),
    );
    assert.equal(hasMore, false);
    assert.equal((await batches.attempts({ batchId: "batch_2", limit: 10 })).entries.length, 1);
  });

  test("deletes attempts with their batch", async ({ batches }) => {
    await insertBatches(batches);
    for (const record of sampleAttempts()) await batches.recordAttempt(record);
    assert.equal(await batches.prune({ now: SUBMITTED_AT + 1000, limit: 10 }), 2);
    assert.deepEqual((await batches.attempts({ limit: 10 })).entries, sampleAttempts().slice(4));
    assert.equal(await batches.deleteAccount({ accountId: "acct_1" }), 1);
    assert.deepEqual(await batches.attempts({ limit: 10 }), { entries: [], hasMore: false });
    await batches.recordAttempt(attempt(9));
    assert.deepEqual(await batches.attempts({ limit: 10 }), { entries: [], hasMore: false });
  });
}
