import type { BatchFilter, BatchRecord } from "@snap/engine/ports";
import assert from "node:assert/strict";
import {
  DONE,
  FAILED,
  finished,
  queued,
  rendering,
  sampleBatch,
  sampleItem,
  SUBMITTED_AT,
} from "./batch-samples.ts";
import { assertPages } from "./pages.ts";
import { UNUSUAL_STRINGS, type DefineTest } from "./suite.ts";

const ABANDONED = { status: "abandoned", attempts: 8 } as const;

/** In the order of submission. */
const BATCHES: readonly BatchRecord[] = [
  sampleBatch({ id: "batch_d" }),
  finished(sampleBatch({ id: "batch_b" })),
  { ...finished(sampleBatch({ id: "batch_a" })), delivery: ABANDONED },
  sampleBatch({ id: "batch_e", accountId: "acct_2" }),
  { ...finished(sampleBatch({ id: "batch_c", accountId: "acct_2" })), webhookUrl: null, delivery: null },
];

/** Filters, each with the ids that it matches, in the order of the list. */
const FILTERS: readonly (readonly [filter: BatchFilter, ids: readonly string[]])[] = [
  [{}, ["batch_c", "batch_e", "batch_a", "batch_b", "batch_d"]],
  [{ accountId: "acct_1" }, ["batch_a", "batch_b", "batch_d"]],
  [{ accountId: "acct_3" }, []],
  [{ accountId: "a\0b" }, []],
  [{ isFinished: true }, ["batch_c", "batch_a", "batch_b"]],
  [{ isFinished: false }, ["batch_e", "batch_d"]],
  [{ delivery: "due" }, ["batch_b"]],
  [{ delivery: "abandoned" }, ["batch_a"]],
  [{ accountId: "acct_2", isFinished: true }, ["batch_c"]],
];

/** Tests paging, filters and summaries. */
export function testBatchPages(test: DefineTest<"batches">): void {
  test("returns pages, the most recently submitted batch first, for each filter", async ({ batches }) => {
    for (const batch of BATCHES) await batches.insert(batch);
    for (const [filter, ids] of FILTERS)
      await assertPages((request) => batches.page({ ...request, ...filter }), ids);
  });

  test("returns an empty page after an unknown batch", async ({ batches }) => {
    for (const batch of BATCHES) await batches.insert(batch);
    for (const after of ["batch_f", "", "a\0b", ...UNUSUAL_STRINGS])
      assert.deepEqual(await batches.page({ after, limit: 10 }), { entries: [], more: 0 });
  });

  test("counts the items in each state", async ({ batches }) => {
    const states = [queued(), queued(), rendering(SUBMITTED_AT), DONE, DONE, DONE, FAILED];
    const items = states.map((state, index) => sampleItem({ id: `item_${index}`, state }));
    await batches.insert(sampleBatch({ items }));
    const { items: _, ...summary } = sampleBatch();
    const counts = { queued: 2, rendering: 1, done: 3, failed: 1 };
    assert.deepEqual(await batches.page({ limit: 1 }), { entries: [{ ...summary, items: counts }], more: 0 });
  });

  test("returns the delivery of a finished batch", async ({ batches }) => {
    const { items: _, ...summary } = { ...finished(sampleBatch()), delivery: ABANDONED };
    await batches.insert({ ...finished(sampleBatch()), delivery: ABANDONED });
    const counts = { queued: 0, rendering: 0, done: 1, failed: 0 };
    assert.deepEqual((await batches.page({ limit: 1 })).entries, [{ ...summary, items: counts }]);
  });
}
