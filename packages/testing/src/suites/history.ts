import type { HistoryEntry, HistoryStore, Storage } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { sampleAccount } from "./account-samples.ts";
import { testHistoryFigures } from "./history-figures.ts";
import { testHistoryPages } from "./history-pages.ts";
import { failedEntry, FINISHED_AT, historyId, sampleEntry, sampleTotals } from "./history-samples.ts";
import { concurrently, countOf, defineSuite, overwrite, UNUSUAL_STRINGS } from "./suite.ts";
import type { DefineTest, OpenStorage, SuiteRunner } from "./suite.ts";

const DAYS = { from: "2000-01-01", to: "2100-01-01" };

/** Tests `HistoryStore`: entries, filters, pages, figures and deletions. */
export function testHistoryStore(runner: SuiteRunner, open: OpenStorage<"history">): void {
  defineSuite({ runner, open, name: "HistoryStore: entries" }, testEntries);
  defineSuite({ runner, open, name: "HistoryStore: pages" }, testHistoryPages);
  defineSuite({ runner, open, name: "HistoryStore: figures" }, testHistoryFigures);
  defineSuite({ runner, open, name: "HistoryStore: deletions" }, testDeletions);
}

function appendEntries(history: HistoryStore, entries: readonly HistoryEntry[]): Promise<void> {
  return history.append({ entries, totals: [] });
}

async function idsOf(history: HistoryStore): Promise<readonly string[]> {
  const { entries } = await history.page({ limit: 1000 });
  return entries.map(({ id }) => id);
}

function testEntries(test: DefineTest<"history">): void {
  test("returns every field", async ({ history }) => {
    const id = (sequence: number): string => historyId(FINISHED_AT, sequence);
    const entries = [
      sampleEntry({ id: id(1) }),
      failedEntry({ id: id(2) }),
      failedEntry({ id: id(3), mode: "pdf", key: "1e0f", host: "example.com", notes: ["wait-capped"] }),
      sampleEntry({ id: id(4), cache: "bypass", notes: [], expiresAt: null, targetStatus: null }),
      sampleEntry({ id: id(5), tokenId: Number.MAX_SAFE_INTEGER, bytes: 0, creditCost: 0, cache: "hit" }),
    ];
    await appendEntries(history, entries);
    for (const entry of entries) assert.deepEqual(await history.find(entry.id), entry);
    assert.deepEqual((await history.page({ limit: 10 })).entries, entries.toReversed());
  });

  test("returns any parameters and text unchanged", async ({ history }) => {
    const url = `https://example.com/${"路".repeat(2000)}`;
    const parameters = [
      ...UNUSUAL_STRINGS.map((text) => ({ url, [text]: text })),
      { url, scale: 0.1, cache: false, nothing: null, list: [1, [2, { deep: "é" }]] },
      { url, text: '\n\t"\\\u2028' },
      { url, large: "x".repeat(60_000) },
    ];
    const entries = parameters.map((one, index) => {
      const text = UNUSUAL_STRINGS[index] ?? "";
      const texts = { requestId: text, batchId: text, host: text, message: text, key: text, etag: text };
      return sampleEntry({ id: historyId(FINISHED_AT, index), parameters: one, notes: [text], ...texts });
    });
    await appendEntries(history, entries);
    for (const entry of entries) assert.deepEqual(await history.find(entry.id), entry);
  });

  test("returns null for an unknown id", async ({ history }) => {
    await appendEntries(history, [sampleEntry()]);
    const known = historyId(FINISHED_AT);
    for (const id of [
      "",
      "unknown",
      "a\0b",
      known.slice(0, -1),
      known.toUpperCase(),
      historyId(FINISHED_AT, 1),
    ])
      assert.equal(await history.find(id), null, JSON.stringify(id));
  });

  test("isolates stored entries from its arguments and results", async ({ history }) => {
    const entry = structuredClone(sampleEntry());
    const { id } = entry;
    await appendEntries(history, [entry]);
    overwrite(entry);
    overwrite(await history.find(id));
    overwrite(await history.page({ limit: 1 }));
    assert.deepEqual(await history.find(id), sampleEntry());
  });

  test("stores nothing from an append with a duplicate id", async ({ history }) => {
    await history.append({ entries: [sampleEntry()], totals: [sampleTotals()] });
    const later = sampleEntry({ at: FINISHED_AT + 1 });
    for (const duplicate of [sampleEntry({ accountId: "acct_2" }), { ...later, accountId: "acct_2" }])
      await assert.rejects(
        history.append({ entries: [later, duplicate], totals: [sampleTotals()] }),
        "append must reject an id that is taken, even by another entry in the same call",
      );
    assert.deepEqual((await history.page({ limit: 10 })).entries, [sampleEntry()]);
    const [sum] = await history.usage({ ...DAYS, by: "account" });
    assert.equal(sum?.renders, 3);
  });

  test("stores entries without totals, totals without entries, or neither", async ({ history }) => {
    await history.append({ entries: [], totals: [] });
    await history.append({ entries: [], totals: [sampleTotals()] });
    assert.deepEqual(await history.page({ limit: 10 }), { entries: [], hasMore: false });
    await appendEntries(history, [sampleEntry()]);
    assert.deepEqual((await history.page({ limit: 10 })).entries, [sampleEntry()]);
    assert.equal((await history.usage({ ...DAYS, by: "day" })).length, 1);
  });
}

function testDeletions(test: DefineTest<"history">): void {
  test("prunes entries and totals, up to the limit for each", async ({ history }) => {
    const entries = Array.from({ length: 10 }, (_, index) => sampleEntry({ at: FINISHED_AT + index }));
    const days = ["2026-01-04", "2026-01-03", "2026-01-02", "2026-01-01"];
    await history.append({ entries, totals: days.map((day) => sampleTotals({ day })) });
    const before = { before: FINISHED_AT + 5, beforeDay: "2026-01-04" };
    assert.equal(await history.prune({ ...before, limit: 0 }), 0);
    assert.equal(await history.prune({ ...before, limit: 2 }), 4);
    assert.deepEqual((await idsOf(history)).length, 8);
    assert.equal(await history.prune({ ...before, limit: 2 }), 3);
    assert.equal(await history.prune({ ...before, limit: 2 }), 1);
    assert.equal(await history.prune({ ...before, limit: 2 }), 0);
    const remaining = entries.slice(5).map(({ id }) => id);
    assert.deepEqual(await idsOf(history), remaining.toReversed());
    const sums = await history.usage({ ...DAYS, by: "day" });
    assert.deepEqual(
      sums.map(({ day }) => day),
      ["2026-01-04"],
    );
    assert.equal(await history.find(historyId(FINISHED_AT + 4)), null);
  });

  test("stores entries after all earlier ones have been pruned", async ({ history }) => {
    for (const at of [FINISHED_AT, FINISHED_AT + 1]) {
      await appendEntries(history, [sampleEntry({ at })]);
      assert.equal(await history.prune({ before: at + 1, beforeDay: "2026-01-01", limit: 10 }), 1);
    }
    await appendEntries(history, [sampleEntry()]);
    assert.deepEqual(await history.find(historyId(FINISHED_AT)), sampleEntry());
  });

  test("deletes all entries and totals of an account", async ({ history }) => {
    const others = ["acct_10", ...UNUSUAL_STRINGS];
    const entries = Array.from({ length: 1000 }, (_, index) => {
      const accountId = index % 2 === 0 ? "acct_1" : (others[(index - 1) / 2] ?? "acct_2");
      return sampleEntry({ id: historyId(FINISHED_AT, index), accountId });
    });
    const totals = ["acct_1", ...others].map((accountId, index) =>
      sampleTotals({ accountId, tokenId: index }),
    );
    await history.append({ entries, totals });
    assert.equal(await history.deleteAccount({ accountId: "acct_1" }), 500);
    for (const accountId of ["acct_1", "a\0b"]) assert.equal(await history.deleteAccount({ accountId }), 0);
    const left = entries.filter(({ accountId }) => accountId !== "acct_1").map(({ id }) => id);
    assert.deepEqual(await idsOf(history), left.toReversed());
    assert.equal(await history.find(historyId(FINISHED_AT, 2)), null);
    const sums = await history.usage({ ...DAYS, by: "token" });
    assert.deepEqual(new Set(sums.map(({ accountId }) => accountId)), new Set(others));
    await appendEntries(history, [sampleEntry()]);
    assert.equal((await history.page({ accountId: "acct_1", limit: 10 })).entries.length, 1);
  });

  test("deletes the totals of an account without entries", async ({ history }) => {
    await history.append({ entries: [], totals: [sampleTotals()] });
    assert.equal(await history.deleteAccount({ accountId: "acct_1" }), 0);
    assert.deepEqual(await history.usage({ ...DAYS, by: "day" }), []);
  });
}

/** Tests that captures that end during or after the deletion of their account leave no history. */
export function testHistoryOfDeletedAccounts(test: DefineTest<keyof Storage>): void {
  const both = ["acct_1", "acct_2"];
  const deletion = { id: "acct_1", now: FINISHED_AT };
  const appendBoth = (history: HistoryStore, at: number): Promise<void> =>
    history.append({
      entries: both.map((accountId, index) => sampleEntry({ id: historyId(at, index), at, accountId })),
      totals: both.map((accountId, index) => sampleTotals({ accountId, tokenId: index + 1 })),
    });

  test("stores nothing for an account whose deletion has started", async ({ accounts, history }) => {
    await accounts.insert(sampleAccount());
    await accounts.insert(sampleAccount({ id: "acct_2", email: "grace@example.com" }));
    await accounts.startDeletion(deletion);
    await appendBoth(history, FINISHED_AT);
    await accounts.delete(deletion);
    await appendBoth(history, FINISHED_AT + 1);
    const { entries } = await history.page({ limit: 10 });
    assert.deepEqual(
      entries.map(({ accountId, at }) => [accountId, at]),
      [
        ["acct_2", FINISHED_AT + 1],
        ["acct_2", FINISHED_AT],
      ],
    );
    const sums = await history.usage({ ...DAYS, by: "account" });
    assert.deepEqual(
      sums.map(({ accountId, renders }) => [accountId, renders]),
      [["acct_2", 6]],
    );
  });

  test("leaves no entry that is appended during the deletion", async ({ accounts, history }) => {
    await accounts.insert(sampleAccount());
    await concurrently(async (index) => {
      if (index !== 50) return appendBoth(history, FINISHED_AT + index);
      await accounts.startDeletion(deletion);
      await history.deleteAccount({ accountId: "acct_1" });
    });
    assert.equal(await history.deleteAccount({ accountId: "acct_1" }), 0);
    const sums = await history.usage({ ...DAYS, by: "account" });
    assert.equal(
      countOf(
        sums.map(({ accountId }) => accountId),
        "acct_1",
      ),
      0,
    );
  });
}
