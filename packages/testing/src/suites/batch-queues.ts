import type { BatchRecord, BatchStore, DeliveryState, ItemState } from "@snap/engine/ports";
import assert from "node:assert/strict";
import {
  batchOf,
  claim,
  DONE,
  FAILED,
  finished,
  queued,
  rendering,
  sampleBatch,
  sampleItem,
  SUBMITTED_AT,
  withState,
} from "./batch-samples.ts";
import { concurrently, CONCURRENT_CALLS, UNUSUAL_STRINGS } from "./suite.ts";
import type { DefineTest } from "./suite.ts";

/** Returns the batch id and the item id of each due item, separated by a space. */
async function dueItems(
  batches: BatchStore,
  { now = SUBMITTED_AT, limit = 100, exceptAccounts = [] as readonly string[] } = {},
): Promise<string[]> {
  const due = await batches.dueItems({ now, limit, exceptAccounts });
  return due.map(({ batchId, itemId }) => `${batchId} ${itemId}`);
}

function itemsOf(states: readonly ItemState[]): BatchRecord["items"] {
  return states.map((state, index) => sampleItem({ id: `item_${index + 1}`, state }));
}

/** Inserts batches of different accounts, with one queued item each. */
async function insertQueued(batches: BatchStore, dueTimes: readonly number[]): Promise<void> {
  for (const [index, dueAt] of dueTimes.entries())
    await batches.insert(batchOf(queued(dueAt), { id: `batch_${index}`, accountId: `acct_${index}` }));
}

/** Tests which items can be claimed, and in which order. */
export function testDueItems(test: DefineTest<"batches">): void {
  testWhenItemsAreDue(test);
  testTurns(test);
}

function testWhenItemsAreDue(test: DefineTest<"batches">): void {
  test("returns the item, its batch and its account", async ({ batches }) => {
    assert.deepEqual(await batches.dueItems({ now: SUBMITTED_AT, limit: 1, exceptAccounts: [] }), []);
    await batches.insert(sampleBatch());
    assert.deepEqual(await batches.dueItems({ now: SUBMITTED_AT, limit: 1, exceptAccounts: [] }), [
      { accountId: "acct_1", batchId: "batch_1", itemId: "item_1" },
    ]);
  });

  test("returns a queued item from the millisecond at which it is due", async ({ batches }) => {
    await batches.insert(batchOf(queued(SUBMITTED_AT + 5)));
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 4 }), []);
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 5 }), ["batch_1 item_1"]);
  });

  test("returns a rendering item from the millisecond at which its lease expires", async ({ batches }) => {
    await batches.insert(batchOf(rendering(SUBMITTED_AT + 5)));
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 4 }), []);
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 5 }), ["batch_1 item_1"]);
  });

  test("does not return finished items", async ({ batches }) => {
    await batches.insert(sampleBatch({ items: itemsOf([DONE, FAILED]) }));
    assert.deepEqual(await dueItems(batches, { now: Number.MAX_SAFE_INTEGER }), []);
  });

  test("reflects each change to an item", async ({ batches }) => {
    const change = (apply: (batch: BatchRecord) => BatchRecord | null): Promise<BatchRecord | null> =>
      batches.change({ batchId: "batch_1", now: SUBMITTED_AT, change: apply });
    await batches.insert(sampleBatch({ items: itemsOf([queued(), queued()]) }));
    await change((batch) => claim(batch, SUBMITTED_AT));
    assert.deepEqual(await dueItems(batches), ["batch_1 item_2"]);
    await change((batch) => claim(batch, SUBMITTED_AT, "item_2"));
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 19_999 }), []);
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 20_000 }), ["batch_1 item_1"]);
    const limited = queued(SUBMITTED_AT + 60_000);
    await change((batch) => ({ ...batch, items: itemsOf([limited, limited]) }));
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 59_999 }), []);
    assert.deepEqual(await dueItems(batches, { now: SUBMITTED_AT + 60_000 }), ["batch_1 item_1"]);
  });
}

function testTurns(test: DefineTest<"batches">): void {
  test("returns one item per account: the longest due, then the first submitted", async ({ batches }) => {
    const late = queued(SUBMITTED_AT - 1);
    // the order of the ids differs from the order of submission
    await batches.insert(sampleBatch({ id: "batch_2", items: itemsOf([queued(), queued(), late, late]) }));
    await batches.insert(sampleBatch({ id: "batch_1", items: itemsOf([late, rendering(SUBMITTED_AT - 2)]) }));
    const returned: string[] = [];
    for (let turn = 0; turn < 7; turn += 1) {
      const due = await batches.dueItems({ now: SUBMITTED_AT, limit: 10, exceptAccounts: [] });
      assert.ok(due.length <= 1, "two items of one account");
      const [item] = due;
      if (item === undefined) break;
      returned.push(`${item.batchId} ${item.itemId}`);
      await batches.change({
        batchId: item.batchId,
        now: SUBMITTED_AT,
        change: (batch) => withState(batch, DONE, item.itemId),
      });
    }
    assert.deepEqual(returned, [
      "batch_1 item_2",
      "batch_2 item_3",
      "batch_2 item_4",
      "batch_1 item_1",
      "batch_2 item_1",
      "batch_2 item_2",
    ]);
  });

  test("orders accounts by the longest due item, then by submission", async ({ batches }) => {
    const dueTimes = [0, -2, -1, -2, -3, 1].map((offset) => SUBMITTED_AT + offset);
    await insertQueued(batches, dueTimes);
    const order = [4, 1, 3, 2, 0].map((index) => `batch_${index} item_1`);
    assert.deepEqual(await dueItems(batches), order);
    for (const limit of [0, 1, 2, 5, 6])
      assert.deepEqual(await dueItems(batches, { limit }), order.slice(0, limit));
  });

  test("excludes the items of the given accounts", async ({ batches }) => {
    for (const [index, accountId] of UNUSUAL_STRINGS.entries())
      await batches.insert(sampleBatch({ id: `batch_${index}`, accountId }));
    const all = UNUSUAL_STRINGS.map((_, index) => `batch_${index} item_1`);
    assert.deepEqual(await dueItems(batches), all);
    for (const [index, accountId] of UNUSUAL_STRINGS.entries())
      assert.deepEqual(await dueItems(batches, { exceptAccounts: [accountId] }), all.toSpliced(index, 1));
    assert.deepEqual(await dueItems(batches, { exceptAccounts: UNUSUAL_STRINGS }), []);
    // excluded accounts do not count against the limit
    const exceptAccounts = UNUSUAL_STRINGS.slice(0, 5);
    assert.deepEqual(await dueItems(batches, { limit: 3, exceptAccounts }), all.slice(5, 8));
    assert.deepEqual(await dueItems(batches, { exceptAccounts: ["acct_1"] }), all);
  });
}

/** Tests which deliveries can be claimed, and in which order. */
export function testDeliveries(test: DefineTest<"batches">): void {
  const due = (dueAt: number): DeliveryState => ({ status: "due", dueAt, attempts: 1, fence: 1 });
  const sending = (leaseEndsAt: number): DeliveryState => ({
    status: "sending",
    leaseEndsAt,
    attempts: 1,
    fence: 1,
  });

  test("returns a delivery from the millisecond at which it is due or its lease expires", async ({
    batches,
  }) => {
    await insertDelivery(batches, "batch_1", { accountId: "acct_1", delivery: due(SUBMITTED_AT + 5) });
    await insertDelivery(batches, "batch_2", { accountId: "acct_2", delivery: sending(SUBMITTED_AT + 6) });
    const at = (offset: number): Promise<string[]> => dueDeliveries(batches, { now: SUBMITTED_AT + offset });
    assert.deepEqual(await at(4), []);
    assert.deepEqual(await at(5), ["batch_1"]);
    assert.deepEqual(await at(6), ["batch_1", "batch_2"]);
  });

  test("returns no finished deliveries, and nothing for batches without a delivery", async ({ batches }) => {
    await insertDelivery(batches, "batch_1", {
      accountId: "acct_1",
      delivery: { status: "delivered", deliveredAt: 1, attempts: 1 },
    });
    await insertDelivery(batches, "batch_2", {
      accountId: "acct_2",
      delivery: { status: "abandoned", attempts: 8 },
    });
    await insertDelivery(batches, "batch_3", { accountId: "acct_3", delivery: null });
    await batches.insert(sampleBatch({ id: "batch_4", accountId: "acct_4" }));
    assert.deepEqual(await dueDeliveries(batches, { now: Number.MAX_SAFE_INTEGER }), []);
  });

  test("returns one delivery per account, the longest due first", async ({ batches }) => {
    const offsets = [-1, -3, -2, -4];
    for (const [index, offset] of offsets.entries())
      for (const [account, later] of [
        ["a", 0],
        ["b", 10],
      ] as const)
        await insertDelivery(batches, `batch_${account}${index}`, {
          accountId: `acct_${account}`,
          delivery: (index % 2 === 0 ? due : sending)(SUBMITTED_AT + offset - later),
        });
    const order = ["batch_b3", "batch_a3"];
    for (const limit of [0, 1, 2, 10])
      assert.deepEqual(await dueDeliveries(batches, { limit }), order.slice(0, limit));
  });

  test("excludes the deliveries of the given accounts", async ({ batches }) => {
    for (const [index, accountId] of UNUSUAL_STRINGS.entries())
      await insertDelivery(batches, `batch_${index}`, { accountId, delivery: due(SUBMITTED_AT + index) });
    const all = UNUSUAL_STRINGS.map((_, index) => `batch_${index}`);
    const now = SUBMITTED_AT + 100;
    assert.deepEqual(await dueDeliveries(batches, { now, limit: 100 }), all);
    for (const [index, accountId] of UNUSUAL_STRINGS.entries()) {
      const exceptAccounts = [accountId];
      assert.deepEqual(
        await dueDeliveries(batches, { now, limit: 100, exceptAccounts }),
        all.toSpliced(index, 1),
      );
    }
    // excluded accounts do not count against the limit
    const exceptAccounts = UNUSUAL_STRINGS.slice(0, 5);
    assert.deepEqual(await dueDeliveries(batches, { now, limit: 3, exceptAccounts }), all.slice(5, 8));
  });

  test("returns a delivery after the change that finishes the batch", async ({ batches }) => {
    await batches.insert(sampleBatch());
    assert.deepEqual(await dueDeliveries(batches), []);
    const change = (delivery: DeliveryState) => (batch: BatchRecord) => ({ ...finished(batch), delivery });
    const request = { batchId: "batch_1", now: SUBMITTED_AT };
    await batches.change({ ...request, change: change(due(SUBMITTED_AT)) });
    assert.deepEqual(await dueDeliveries(batches), ["batch_1"]);
    await batches.change({ ...request, change: change(sending(SUBMITTED_AT + 1)) });
    assert.deepEqual(await dueDeliveries(batches), []);
    await batches.change({ ...request, change: change({ status: "abandoned", attempts: 1 }) });
    assert.deepEqual(await dueDeliveries(batches, { now: Number.MAX_SAFE_INTEGER }), []);
  });
}

function insertDelivery(
  batches: BatchStore,
  id: string,
  { accountId, delivery }: { readonly accountId: string; readonly delivery: DeliveryState | null },
): Promise<unknown> {
  return batches.insert({ ...finished(sampleBatch({ id, accountId })), delivery });
}

/** Returns the batch ids of the due deliveries. */
async function dueDeliveries(
  batches: BatchStore,
  request: Partial<Parameters<BatchStore["dueDeliveries"]>[0]> = {},
): Promise<string[]> {
  const due = await batches.dueDeliveries({ now: SUBMITTED_AT, limit: 10, exceptAccounts: [], ...request });
  return due.map(({ batchId }) => batchId);
}

/** Tests pruning and stats. */
export function testPruning(test: DefineTest<"batches">): void {
  test("deletes batches from the millisecond at which they can be pruned, up to the limit", async ({
    batches,
  }) => {
    await concurrently((index) =>
      batches.insert(finished(sampleBatch({ id: `batch_${index}` }), { retentionMs: index })),
    );
    const now = SUBMITTED_AT + 49;
    assert.equal(await batches.prune({ now, limit: 0 }), 0);
    assert.equal(await batches.prune({ now, limit: 30 }), 30);
    assert.equal(await batches.prune({ now, limit: 30 }), 20);
    assert.equal(await batches.prune({ now, limit: 30 }), 0);
    for (let index = 0; index < CONCURRENT_CALLS; index += 1)
      assert.equal((await batches.find(`batch_${index}`)) !== null, index > 49, `batch ${index}`);
  });

  test("deletes items and deliveries with their batch", async ({ batches }) => {
    await batches.insert(finished(batchOf(queued())));
    assert.equal(await batches.prune({ now: SUBMITTED_AT + 1000, limit: 10 }), 1);
    const none = { queuedItems: 0, renderingItems: 0, oldestUnfinishedAgeMs: null, openDeliveries: 0 };
    assert.deepEqual(await batches.stats({ now: SUBMITTED_AT }), none);
    assert.deepEqual(await dueDeliveries(batches), []);
    const change = (batch: BatchRecord): BatchRecord => batch;
    assert.equal(await batches.change({ batchId: "batch_1", now: SUBMITTED_AT, change }), null);
    // a new batch can reuse the id
    await batches.insert(sampleBatch());
    assert.deepEqual(await batches.find("batch_1"), sampleBatch());
  });

  test("does not delete unfinished batches", async ({ batches }) => {
    for (const [index, state] of [queued(), rendering(SUBMITTED_AT)].entries())
      await batches.insert(batchOf(state, { id: `batch_${index}` }));
    assert.equal(await batches.prune({ now: Number.MAX_SAFE_INTEGER, limit: 10 }), 0);
    for (const index of [0, 1]) assert.ok(await batches.find(`batch_${index}`));
  });

  test("counts unfinished items and open deliveries, with the oldest unfinished batch's age", async ({
    batches,
  }) => {
    const none = { queuedItems: 0, renderingItems: 0, oldestUnfinishedAgeMs: null, openDeliveries: 0 };
    assert.deepEqual(await batches.stats({ now: SUBMITTED_AT }), none);
    const future = queued(SUBMITTED_AT + 1_000_000);
    const expired = rendering(SUBMITTED_AT - 1_000_000);
    await batches.insert(sampleBatch({ items: itemsOf([future, queued(), expired, DONE, FAILED]) }));
    await batches.insert(batchOf(queued(), { id: "batch_2", createdAt: SUBMITTED_AT - 700 }));
    await batches.insert(finished(sampleBatch({ id: "batch_3", createdAt: SUBMITTED_AT - 5000 })));
    assert.deepEqual(await batches.stats({ now: SUBMITTED_AT + 300 }), {
      queuedItems: 3,
      renderingItems: 1,
      oldestUnfinishedAgeMs: 1000,
      openDeliveries: 1,
    });
    const change = (batch: BatchRecord): BatchRecord => ({
      ...finished(batch),
      delivery: { status: "sending", leaseEndsAt: 1, attempts: 1, fence: 1 },
    });
    await batches.change({ batchId: "batch_2", now: SUBMITTED_AT, change });
    const abandoned = { status: "abandoned", attempts: 1 } as const;
    const abandon = (batch: BatchRecord): BatchRecord => ({ ...batch, delivery: abandoned });
    await batches.change({ batchId: "batch_3", now: SUBMITTED_AT, change: abandon });
    assert.deepEqual(await batches.stats({ now: SUBMITTED_AT + 300 }), {
      queuedItems: 2,
      renderingItems: 1,
      oldestUnfinishedAgeMs: 300,
      openDeliveries: 1,
    });
  });
}
