import type { BatchRecord, BatchStore, IdempotencyClaim } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { finished, sampleBatch, SUBMITTED_AT } from "./batch-samples.ts";
import { concurrently, countOf, UNUSUAL_STRINGS, type DefineTest } from "./suite.ts";

const EXPIRES_AT = SUBMITTED_AT + 86_400_000;

/** Returns a claim that lasts for a day. */
export function sampleClaim(change: Partial<IdempotencyClaim> = {}): IdempotencyClaim {
  return { keyHash: "5e884898", digest: "2c26b46b", expiresAt: EXPIRES_AT, ...change };
}

/**
 * Inserts `batch_2` with this change and the sample claim. Returns the id of the batch that already
 * has the key; `null` if the key was free.
 */
async function insertAndReturnHolder(
  batches: BatchStore,
  change: Partial<BatchRecord> = {},
): Promise<string | null> {
  const batch = sampleBatch({ id: "batch_2", ...change });
  return (await batches.insert(batch, sampleClaim()))?.batch.id ?? null;
}

/** Tests the claims on idempotency keys. */
export function testIdempotencyKeys(test: DefineTest<"batches">): void {
  testClaims(test);
  testClaimEnds(test);
}

function testClaims(test: DefineTest<"batches">): void {
  test("stores one batch per account and idempotency key", async ({ batches }) => {
    assert.equal(await batches.insert(sampleBatch(), sampleClaim()), null, "the key is free");
    const repeat = sampleBatch({ id: "batch_2", webhookUrl: null });
    const holder = { batch: sampleBatch(), digest: "2c26b46b" };
    const different = sampleClaim({ digest: "fcde2b2e", expiresAt: EXPIRES_AT + 1 });
    for (const claim of [sampleClaim(), different])
      assert.deepEqual(
        await batches.insert(repeat, claim),
        holder,
        "insert must return the batch that has the key",
      );
    assert.equal(await batches.find("batch_2"), null, "a batch whose key is taken is not stored");
    const { queuedItems } = await batches.stats({ now: SUBMITTED_AT });
    assert.equal(queuedItems, 1, "items of a batch whose key is taken are not stored");
  });

  test("returns the current state of the batch that has the key", async ({ batches }) => {
    await batches.insert(sampleBatch(), sampleClaim());
    const change = (batch: BatchRecord): BatchRecord => finished(batch);
    await batches.change({ batchId: "batch_1", now: SUBMITTED_AT, change });
    const holder = await batches.insert(sampleBatch({ id: "batch_2" }), sampleClaim());
    assert.deepEqual(holder?.batch, finished(sampleBatch()));
  });

  test("isolates the keys of accounts, and distinguishes unusual keys", async ({ batches }) => {
    for (const [index, text] of UNUSUAL_STRINGS.entries())
      for (const accountId of ["acct_1", text]) {
        const batch = sampleBatch({ id: `${accountId} ${index}`, accountId });
        const claim = sampleClaim({ keyHash: text });
        assert.equal(await batches.insert(batch, claim), null, `key ${text} of account ${accountId}`);
      }
  });

  test("stores any number of batches without a key", async ({ batches }) => {
    await batches.insert(sampleBatch(), sampleClaim());
    for (const id of ["batch_2", "batch_3"])
      assert.equal(await batches.insert(sampleBatch({ id })), null, `${id} claims no key`);
    for (const id of ["batch_1", "batch_2", "batch_3"])
      assert.deepEqual(await batches.find(id), sampleBatch({ id }));
  });

  test("does not claim a key for a batch that it rejects", async ({ batches }) => {
    await batches.insert(sampleBatch());
    await assert.rejects(
      batches.insert(sampleBatch(), sampleClaim()),
      "insert must reject an id that is taken",
    );
    assert.equal(await insertAndReturnHolder(batches), null, "the rejected batch must not have the key");
  });

  test("stores one of many batches that are inserted concurrently with one key", async ({ batches }) => {
    const insertAll = async (createdAt: number): Promise<void> => {
      const idOf = (index: number): string => `batch_${createdAt}_${index}`;
      const holders = await concurrently((index) =>
        batches.insert(
          sampleBatch({ id: idOf(index), createdAt }),
          sampleClaim({ expiresAt: createdAt + 100 }),
        ),
      );
      assert.equal(countOf(holders, null), 1, "exactly one insert claims the key");
      const stored = holders.indexOf(null);
      for (const [index, holder] of holders.entries())
        if (index !== stored) assert.equal(holder?.batch.id, idOf(stored), "all others return its batch");
      const found = await concurrently((index) => batches.find(idOf(index)));
      assert.equal(countOf(found, null), found.length - 1, "only the batch that has the key is stored");
    };
    await insertAll(SUBMITTED_AT);
    // the claim has just expired
    await insertAll(SUBMITTED_AT + 100);
  });
}

function testClaimEnds(test: DefineTest<"batches">): void {
  test("frees a key at the millisecond at which its claim expires", async ({ batches }) => {
    await batches.insert(sampleBatch(), sampleClaim());
    assert.equal(await insertAndReturnHolder(batches, { createdAt: EXPIRES_AT - 1 }), "batch_1");
    assert.equal(await insertAndReturnHolder(batches, { createdAt: EXPIRES_AT }), null);
    assert.notEqual(await batches.find("batch_1"), null, "the batch outlives its claim");
    const later = sampleBatch({ id: "batch_3", createdAt: EXPIRES_AT - 1 });
    const holder = await batches.insert(later, sampleClaim());
    assert.equal(holder?.batch.id, "batch_2", "the latest claim counts");
  });

  test("frees a key at the millisecond at which its batch can be pruned", async ({ batches }) => {
    await batches.insert(finished(sampleBatch(), { retentionMs: 1000 }), sampleClaim());
    assert.equal(await insertAndReturnHolder(batches, { createdAt: SUBMITTED_AT + 999 }), "batch_1");
    assert.equal(await insertAndReturnHolder(batches, { createdAt: SUBMITTED_AT + 1000 }), null);
  });

  test("deletes a claim with its batch", async ({ batches }) => {
    await batches.insert(finished(sampleBatch()), sampleClaim());
    await batches.prune({ now: SUBMITTED_AT + 1000, limit: 10 });
    // a new batch can reuse the id
    await batches.insert(sampleBatch());
    assert.equal(await insertAndReturnHolder(batches), null, "a pruned batch has no key");
    await batches.deleteAccount({ accountId: "acct_1" });
    assert.equal(await insertAndReturnHolder(batches), null, "a deleted account has no keys");
  });

  test("keeps the claim of a later batch when the earlier one is deleted", async ({ batches }) => {
    await batches.insert(finished(sampleBatch()), sampleClaim({ expiresAt: SUBMITTED_AT + 1 }));
    assert.equal(await insertAndReturnHolder(batches, { createdAt: SUBMITTED_AT + 1 }), null);
    await batches.prune({ now: SUBMITTED_AT + 1000, limit: 10 });
    assert.equal(await batches.find("batch_1"), null);
    assert.equal(await insertAndReturnHolder(batches, { id: "batch_3" }), "batch_2");
  });
}
