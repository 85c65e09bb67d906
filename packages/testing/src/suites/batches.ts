import type { BatchRecord, BatchStore, DeliveryState, ItemState } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { testDeliveryAttempts } from "./batch-attempts.ts";
import { testBatchChanges } from "./batch-changes.ts";
import { testIdempotencyKeys } from "./batch-keys.ts";
import { testBatchPages } from "./batch-pages.ts";
import { runBatchesAgainstModel } from "./batch-model.ts";
import { testDeliveries, testDueItems, testPruning } from "./batch-queues.ts";
import {
  batchOf,
  DONE,
  FAILED,
  queued,
  rendering,
  sampleBatch,
  sampleItem,
  SUBMITTED_AT,
} from "./batch-samples.ts";
import { concurrently, UNUSUAL_STRINGS, countOf, defineSuite, overwrite } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

/**
 * Tests `BatchStore`: every field is stored, changes and settlements are atomic, and items and deliveries become due at
 * the exact millisecond.
 *
 * Also compares random calls with the in-memory model: a failure reports its seed; pass it as `seed` to repeat the run.
 */
export function testBatchStore(
  runner: SuiteRunner,
  open: OpenStorage<"batches" | "ledger">,
  { seed = Math.floor(Math.random() * 2 ** 31) }: { readonly seed?: number } = {},
): void {
  defineSuite({ runner, open, name: "BatchStore: records" }, testRecords);
  defineSuite({ runner, open, name: "BatchStore: inserts" }, testInserts);
  defineSuite({ runner, open, name: "BatchStore: idempotency keys" }, testIdempotencyKeys);
  defineSuite({ runner, open, name: "BatchStore: pages" }, testBatchPages);
  defineSuite({ runner, open, name: "BatchStore: changes" }, testBatchChanges);
  defineSuite({ runner, open, name: "BatchStore: due items" }, testDueItems);
  defineSuite({ runner, open, name: "BatchStore: due deliveries" }, testDeliveries);
  defineSuite({ runner, open, name: "BatchStore: delivery attempts" }, testDeliveryAttempts);
  defineSuite({ runner, open, name: "BatchStore: pruning and stats" }, testPruning);
  defineSuite({ runner, open, name: "BatchStore: compared with the model" }, (test) => {
    test("returns the same results as the model for batches", ({
      batches,
    }: {
      readonly batches: BatchStore;
    }) => runBatchesAgainstModel(batches, { seed }));
  });
}

const LIMITED = { starts: 2, fence: 7, limitedSince: SUBMITTED_AT - 1 };
const ITEM_STATES: readonly ItemState[] = [
  queued(),
  { ...queued(), ...LIMITED },
  rendering(SUBMITTED_AT),
  { ...rendering(SUBMITTED_AT), ...LIMITED },
  DONE,
  { ...DONE, targetStatus: null, creditCost: 0 },
  { ...DONE, notes: ["a note", "é"], storedLocation: "a store/é.png" },
  FAILED,
  { ...FAILED, notes: ["a note"] },
];

const DELIVERIES: readonly (DeliveryState | null)[] = [
  { status: "due", dueAt: SUBMITTED_AT, attempts: 0, fence: 0 },
  { status: "sending", leaseEndsAt: SUBMITTED_AT + 20_000, attempts: 1, fence: 1 },
  { status: "delivered", deliveredAt: SUBMITTED_AT + 5, attempts: 2 },
  { status: "abandoned", attempts: 8 },
  { status: "due", dueAt: SUBMITTED_AT, attempts: 0, fence: 7, deliveredAt: SUBMITTED_AT + 5 },
  null,
];

function testRecords(test: DefineTest<"batches">): void {
  test("returns every field of an unfinished batch", async ({ batches }) => {
    const items = ITEM_STATES.map((state, index) =>
      sampleItem({ id: `item_${index}`, key: `${index}`, state }),
    );
    for (const batch of [
      sampleBatch({ items }),
      sampleBatch({ id: "batch_2", items, webhookUrl: null, tokenId: Number.MAX_SAFE_INTEGER }),
    ]) {
      await batches.insert(batch);
      assert.deepEqual(await batches.find(batch.id), batch);
    }
    assert.equal(await batches.find("batch_3"), null);
  });

  test("returns every field of a finished batch", async ({ batches }) => {
    for (const [index, delivery] of DELIVERIES.entries()) {
      const end = { finishedAt: SUBMITTED_AT + 1, prunesAt: SUBMITTED_AT + 2, delivery };
      const batch = batchOf(DONE, { id: `batch_${index}`, ...end });
      await batches.insert(batch);
      assert.deepEqual(await batches.find(batch.id), batch);
    }
  });

  test("returns any parameters unchanged", async ({ batches }) => {
    const url = `https://example.com/${"路".repeat(2000)}`;
    const parameters = [
      ...UNUSUAL_STRINGS.map((selector) => ({ url, selector })),
      {
        url,
        scale: 0.1,
        width: 1e4,
        marginTop: 0,
        cache: false,
        nothing: null,
        list: [1, [2, { deep: "é" }]],
      },
      { url, text: '\u0000\n\t"\\\u2028\ud800' },
      { url, large: "x".repeat(200_000) },
    ];
    const items = parameters.map((each, index) => sampleItem({ id: `item_${index}`, parameters: each }));
    await batches.insert(sampleBatch({ items }));
    assert.deepEqual(await batches.find("batch_1"), sampleBatch({ items }));
  });

  test("distinguishes unusual ids", async ({ batches }) => {
    const items = UNUSUAL_STRINGS.map((text) => sampleItem({ id: text, key: text }));
    const records = UNUSUAL_STRINGS.map((text) =>
      sampleBatch({ id: text, accountId: text, webhookUrl: text, items }),
    );
    for (const batch of records) await batches.insert(batch);
    for (const batch of records) assert.deepEqual(await batches.find(batch.id), batch);
  });

  test("returns null for an unknown id", async ({ batches }) => {
    for (const id of ["", "unknown", "a\0b", "\ud800"]) assert.equal(await batches.find(id), null);
  });

  test("returns items in the order of submission", async ({ batches }) => {
    const ids = Array.from({ length: 20 }, (_, index) => `item_${(index * 7) % 20}`);
    await batches.insert(sampleBatch({ items: ids.map((id) => sampleItem({ id })) }));
    const found = await batches.find("batch_1");
    assert.deepEqual(
      found?.items.map(({ id }) => id),
      ids,
    );
  });

  test("isolates stored records from its arguments and results", async ({ batches }) => {
    const batch = structuredClone(sampleBatch());
    await batches.insert(batch);
    overwrite(batch);
    const request = { batchId: "batch_1", now: SUBMITTED_AT };
    overwrite(await batches.change({ ...request, change: (before) => before }));
    overwrite(await batches.find("batch_1"));
    assert.deepEqual(await batches.find("batch_1"), sampleBatch());
  });
}

function testInserts(test: DefineTest<"batches">): void {
  test("rejects a batch whose id is taken, without changing the existing one", async ({ batches }) => {
    await batches.insert(sampleBatch());
    const other = sampleBatch({ accountId: "acct_2", items: [sampleItem(), sampleItem({ id: "item_2" })] });
    await assert.rejects(batches.insert(other), "insert must reject an id that is taken");
    assert.deepEqual(await batches.find("batch_1"), sampleBatch());
    const request = { now: SUBMITTED_AT, limit: 10, exceptAccounts: ["acct_1"] };
    assert.deepEqual(await batches.dueItems(request), []);
  });

  test("stores one complete batch after many concurrent inserts with the same id", async ({ batches }) => {
    const record = (index: number): BatchRecord =>
      sampleBatch({
        tokenId: index,
        items: [1, 2, 3].map((id) => sampleItem({ id: `item_${id}`, key: `${index}` })),
      });
    const results = await concurrently((index) =>
      batches.insert(record(index)).then(
        () => "inserted",
        () => "rejected",
      ),
    );
    assert.equal(countOf(results, "inserted"), 1, "inserts that succeeded");
    assert.deepEqual(await batches.find("batch_1"), record(results.indexOf("inserted")));
  });
}
