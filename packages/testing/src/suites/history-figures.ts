import type { UsageRequest } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { failedEntry, FINISHED_AT, historyId, sampleEntry, sampleTotals } from "./history-samples.ts";
import { concurrently, UNUSUAL_STRINGS, type DefineTest } from "./suite.ts";

const HOUR_MS = 3_600_000;

/** Tests activity, failures and usage. */
export function testHistoryFigures(test: DefineTest<"history">): void {
  testActivity(test);
  testUsage(test);
  testAccumulation(test);
}

function testActivity(test: DefineTest<"history">): void {
  test("counts renders and failures by interval", async ({ history }) => {
    const entries = [
      sampleEntry({ at: FINISHED_AT - 1 }),
      sampleEntry({ at: FINISHED_AT }),
      sampleEntry({ id: historyId(FINISHED_AT, 1), cache: "bypass" }),
      failedEntry({ id: historyId(FINISHED_AT, 2) }),
      sampleEntry({ at: FINISHED_AT + 59_999, cache: "hit", creditCost: 0 }),
      // an interval with only hits is omitted
      sampleEntry({ at: FINISHED_AT + 60_000, cache: "hit", creditCost: 0 }),
      failedEntry({ at: FINISHED_AT + 179_999 }),
      sampleEntry({ at: FINISHED_AT + 240_000 }),
    ];
    await history.append({ entries: entries.toReversed(), totals: [] });
    const request = { since: FINISHED_AT, intervalMs: 60_000 };
    assert.deepEqual(await history.activity(request), [
      { at: FINISHED_AT, renders: 2, failures: 1 },
      { at: FINISHED_AT + 120_000, renders: 0, failures: 1 },
      { at: FINISHED_AT + 240_000, renders: 1, failures: 0 },
    ]);
    assert.deepEqual(await history.activity({ since: FINISHED_AT + 1, intervalMs: HOUR_MS }), [
      { at: FINISHED_AT, renders: 1, failures: 1 },
    ]);
    assert.deepEqual(await history.activity({ since: FINISHED_AT - 1, intervalMs: HOUR_MS }), [
      { at: FINISHED_AT - HOUR_MS, renders: 1, failures: 0 },
      { at: FINISHED_AT, renders: 3, failures: 2 },
    ]);
    assert.deepEqual(await history.activity({ since: FINISHED_AT + 240_001, intervalMs: 1 }), []);
  });

  test("counts failures by code, most frequent first", async ({ history }) => {
    const codes = ["render_timeout", "blocked_host", "rate_limited", "rate_limited", "invalid_url"] as const;
    const entries = codes.map((code, index) => failedEntry({ at: FINISHED_AT + index, code }));
    await history.append({ entries: [...entries, sampleEntry({ at: FINISHED_AT + 9 })], totals: [] });
    assert.deepEqual(await history.failures({ since: FINISHED_AT + 1 }), [
      { code: "rate_limited", count: 2 },
      { code: "blocked_host", count: 1 },
      { code: "invalid_url", count: 1 },
    ]);
    assert.deepEqual(await history.failures({ since: FINISHED_AT + 5 }), []);
  });
}

const TOTALS = [
  sampleTotals({ day: "2025-12-31", renders: 1, longestRenderMs: 9_000 }),
  sampleTotals({ day: "2026-01-01" }),
  sampleTotals({ day: "2026-01-01", tokenId: 2, renders: 7, longestRenderMs: 0 }),
  sampleTotals({ day: "2026-01-01", tokenId: 3, accountId: "acct_2", renders: 10 }),
  sampleTotals({ day: "2026-01-03", tokenId: 3, accountId: "acct_2" }),
  sampleTotals({ day: "2026-01-03", tokenId: 4, accountId: "acct_3", renders: 11 }),
];
/** The days of `TOTALS`, except that of its first element. */
const DAYS = { from: "2026-01-01", to: "2026-01-03" };

/** Returns the named fields of each sum. */
function rowsOf(sums: readonly object[], ...names: readonly string[]): readonly unknown[] {
  return sums.map((sum) => names.map((name) => Reflect.get(sum, name)));
}

function testUsage(test: DefineTest<"history">): void {
  test("adds up totals by day, account and token", async ({ history }) => {
    await history.append({ entries: [], totals: TOTALS.toReversed() });
    const days = await history.usage({ ...DAYS, by: "day" });
    assert.deepEqual(days, [
      {
        day: "2026-01-01",
        accountId: null,
        tokenId: null,
        renders: 20,
        hits: 60,
        failures: 3,
        credits: 9,
        renderMs: 10_800,
        longestRenderMs: 1_500,
      },
      {
        day: "2026-01-03",
        accountId: null,
        tokenId: null,
        renders: 14,
        hits: 40,
        failures: 2,
        credits: 6,
        renderMs: 7_200,
        longestRenderMs: 1_500,
      },
    ]);
    const accounts = await history.usage({ ...DAYS, by: "account" });
    assert.deepEqual(rowsOf(accounts, "day", "accountId", "tokenId", "renders", "hits"), [
      [null, "acct_2", null, 13, 40],
      [null, "acct_3", null, 11, 20],
      [null, "acct_1", null, 10, 40],
    ]);
    const tokens = await history.usage({ ...DAYS, by: "token" });
    assert.deepEqual(rowsOf(tokens, "day", "accountId", "tokenId", "renders", "longestRenderMs"), [
      [null, "acct_2", 3, 13, 1_500],
      [null, "acct_3", 4, 11, 1_500],
      [null, "acct_1", 2, 7, 0],
      [null, "acct_1", 1, 3, 1_500],
    ]);
  });

  test("filters totals by day, account and token", async ({ history }) => {
    await history.append({ entries: [], totals: TOTALS });
    const rendersOf = async (request: Partial<UsageRequest>): Promise<readonly unknown[]> =>
      rowsOf(await history.usage({ ...DAYS, by: "day", ...request }), "day", "renders");
    assert.deepEqual(await rendersOf({ from: "2025-12-31", to: "2025-12-31" }), [["2025-12-31", 1]]);
    assert.deepEqual(await rendersOf({ from: "2026-01-02", to: "2026-01-02" }), []);
    assert.deepEqual(await rendersOf({ accountId: "acct_1", from: "2025-12-31" }), [
      ["2025-12-31", 1],
      ["2026-01-01", 10],
    ]);
    assert.deepEqual(await rendersOf({ tokenId: 3, to: "2026-01-02" }), [["2026-01-01", 10]]);
    assert.deepEqual(await rendersOf({ tokenId: 2, accountId: "acct_1" }), [["2026-01-01", 7]]);
    const unmatchedFilters = [
      { accountId: "acct_1", tokenId: 3 },
      { accountId: "a\0b" },
      { tokenId: 99 },
      { tokenId: 1.5 },
    ];
    for (const filter of unmatchedFilters)
      for (const by of ["day", "account", "token"] as const)
        assert.deepEqual(await history.usage({ ...DAYS, by, ...filter }), []);
  });
}

function testAccumulation(test: DefineTest<"history">): void {
  test("adds up appended totals of the same day and token", async ({ history }) => {
    await history.append({ entries: [], totals: [sampleTotals(), sampleTotals({ longestRenderMs: 2 })] });
    await history.append({ entries: [], totals: [sampleTotals({ longestRenderMs: 1_501 })] });
    assert.deepEqual(await history.usage({ ...DAYS, by: "token" }), [
      {
        day: null,
        accountId: "acct_1",
        tokenId: 1,
        renders: 9,
        hits: 60,
        failures: 3,
        credits: 9,
        renderMs: 10_800,
        longestRenderMs: 1_501,
      },
    ]);
  });

  test("loses no totals in concurrent appends", async ({ history }) => {
    await concurrently((index) => {
      const both = [sampleTotals(), sampleTotals({ tokenId: 2 })];
      return history.append({ entries: [], totals: index % 2 === 0 ? both : both.toReversed() });
    });
    const sums = await history.usage({ ...DAYS, by: "token" });
    assert.deepEqual(rowsOf(sums, "tokenId", "renders", "hits"), [
      [1, 300, 2000],
      [2, 300, 2000],
    ]);
  });

  test("sorts accounts with equal numbers of renders by id, including unusual ids", async ({ history }) => {
    const unusual = UNUSUAL_STRINGS.map((accountId, index) =>
      sampleTotals({ accountId, tokenId: index + 10 }),
    );
    await history.append({ entries: [], totals: [...unusual, ...unusual] });
    const sums = await history.usage({ ...DAYS, by: "account" });
    assert.deepEqual(
      rowsOf(sums, "accountId", "renders"),
      UNUSUAL_STRINGS.toSorted().map((accountId) => [accountId, 6]),
    );
  });
}
