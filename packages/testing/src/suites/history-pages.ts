import type { HistoryFilter } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { failedEntry, FINISHED_AT, historyId, sampleEntry } from "./history-samples.ts";
import { assertUncountedPages } from "./pages.ts";
import { UNUSUAL_STRINGS, type DefineTest } from "./suite.ts";

const DAY_MS = 86_400_000;

/** Newest first. `r4` and `r3` are from the same millisecond. */
const ENTRIES = [
  sampleEntry({ at: FINISHED_AT + 90 * DAY_MS, tokenId: 2, cache: "hit", requestId: "r7", creditCost: 0 }),
  failedEntry({ at: FINISHED_AT + 3 * DAY_MS, mode: "pdf", host: "b.example", requestId: "r6" }),
  sampleEntry({
    at: FINISHED_AT + DAY_MS,
    accountId: "acct_2",
    tokenId: 3,
    host: "b.example",
    requestId: "r5",
  }),
  sampleEntry({ id: historyId(FINISHED_AT, 9), mode: "pdf", entryPoint: "mcp", requestId: "r4" }),
  failedEntry({ id: historyId(FINISHED_AT, 8), code: "rate_limited", requestId: "r3" }),
  sampleEntry({ at: FINISHED_AT - 1, cache: "bypass", entryPoint: "batch", requestId: "r2" }),
  sampleEntry({ at: FINISHED_AT - DAY_MS, accountId: "acct_2", tokenId: 4, host: "a.b", requestId: "r1" }),
];

/** Filters, each with the request ids of the entries that it matches. */
const FILTERS: readonly (readonly [filter: HistoryFilter, requestIds: readonly string[]])[] = [
  [{}, ["r7", "r6", "r5", "r4", "r3", "r2", "r1"]],
  [{ accountId: "acct_1" }, ["r7", "r6", "r4", "r3", "r2"]],
  [{ accountId: "acct_3" }, []],
  [{ tokenId: 1 }, ["r6", "r4", "r3", "r2"]],
  [{ tokenId: 99 }, []],
  [{ tokenId: 1.5 }, []],
  [{ entryPoint: "batch" }, ["r2"]],
  [{ entryPoint: "engine" }, []],
  [{ mode: "pdf" }, ["r6", "r4"]],
  [{ mode: "screenshot" }, ["r7", "r5", "r2", "r1"]],
  [{ host: "b.example" }, ["r6", "r5"]],
  [{ host: "example" }, []],
  [{ code: "rate_limited" }, ["r3"]],
  [{ code: "not_found" }, []],
  [{ isFailure: true }, ["r6", "r3"]],
  [{ isFailure: false }, ["r7", "r5", "r4", "r2", "r1"]],
  [{ cache: "hit" }, ["r7"]],
  [{ cache: "miss" }, ["r5", "r4", "r1"]],
  [{ cache: "bypass" }, ["r2"]],
  [{ requestId: "r3" }, ["r3"]],
  [{ requestId: "R3" }, []],
  [{ since: FINISHED_AT }, ["r7", "r6", "r5", "r4", "r3"]],
  [{ since: FINISHED_AT + 1 }, ["r7", "r6", "r5"]],
  [{ until: FINISHED_AT }, ["r2", "r1"]],
  [{ until: FINISHED_AT + 1 }, ["r4", "r3", "r2", "r1"]],
  [{ since: FINISHED_AT, until: FINISHED_AT + DAY_MS }, ["r4", "r3"]],
  [{ since: FINISHED_AT, until: FINISHED_AT }, []],
  [{ accountId: "acct_2", since: FINISHED_AT }, ["r5"]],
  [{ accountId: "acct_2", tokenId: 1 }, []],
  [{ accountId: "acct_1", isFailure: true, mode: "pdf" }, ["r6"]],
  [{ isFailure: true, cache: "hit" }, []],
  [{ host: "b.example", isFailure: false }, ["r5"]],
  [{ entryPoint: "snap", cache: "miss", until: FINISHED_AT }, ["r1"]],
];

/** Tests order, filters and paging. */
export function testHistoryPages(test: DefineTest<"history">): void {
  test("returns pages in descending order of ids, for each filter", async ({ history }) => {
    await history.append({ entries: ENTRIES, totals: [] });
    for (const [filter, requestIds] of FILTERS) {
      const ids = requestIds.map((name) => ENTRIES.find(({ requestId }) => requestId === name)?.id ?? "");
      await assertUncountedPages((request) => history.page({ ...request, ...filter }), ids);
    }
  });

  test("sorts late entries by id", async ({ history }) => {
    for (const index of [3, 0, 6, 4, 1, 5, 2])
      await history.append({ entries: ENTRIES.slice(index, index + 1), totals: [] });
    await assertUncountedPages(
      (request) => history.page(request),
      ENTRIES.map(({ id }) => id),
    );
  });

  test("sorts and pages many entries from one millisecond", async ({ history }) => {
    const entries = Array.from({ length: 120 }, (_, index) =>
      sampleEntry({ id: historyId(FINISHED_AT, (index * 7) % 120) }),
    );
    await history.append({ entries, totals: [] });
    const ids = entries
      .map(({ id }) => id)
      .toSorted()
      .toReversed();
    for (const filter of [{}, { accountId: "acct_1" }, { mode: "screenshot" }] as const) {
      const first = await history.page({ ...filter, limit: 50 });
      assert.deepEqual(first, { entries: first.entries, hasMore: true });
      const rest = await history.page({ ...filter, limit: 70, after: ids[49] });
      assert.equal(rest.hasMore, false);
      assert.deepEqual(
        [...first.entries, ...rest.entries].map(({ id }) => id),
        ids,
      );
    }
  });

  test("continues after an entry that the filter does not match", async ({ history }) => {
    await history.append({ entries: ENTRIES, totals: [] });
    const { entries } = await history.page({ after: ENTRIES[4]?.id, limit: 10, tokenId: 4 });
    assert.deepEqual(entries, ENTRIES.slice(6));
  });

  test("returns an empty page after an unknown entry", async ({ history }) => {
    await history.append({ entries: ENTRIES, totals: [] });
    for (const after of [historyId(FINISHED_AT, 7), "", "a\0b", ...UNUSUAL_STRINGS])
      assert.deepEqual(await history.page({ after, limit: 10 }), { entries: [], hasMore: false });
  });

  test("distinguishes unusual account ids, hosts and request ids", async ({ history }) => {
    const entries = UNUSUAL_STRINGS.map((text, index) =>
      sampleEntry({ id: historyId(FINISHED_AT, index), accountId: text, host: text, requestId: text }),
    );
    await history.append({ entries, totals: [] });
    for (const [index, text] of UNUSUAL_STRINGS.entries())
      for (const filter of [{ accountId: text }, { host: text }, { requestId: text }])
        assert.deepEqual((await history.page({ ...filter, limit: 10 })).entries, [entries[index]]);
    for (const filter of [{ accountId: "a\0b" }, { host: "a\0b" }, { requestId: "a\0b" }])
      assert.deepEqual(await history.page({ ...filter, limit: 10 }), { entries: [], hasMore: false });
  });
}
