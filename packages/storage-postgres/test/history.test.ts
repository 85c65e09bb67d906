import type { HistoryFilter, Storage } from "@snap/engine/ports";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  failedEntry,
  historyId,
  sampleEntry,
  sampleTotals,
} from "../../testing/src/suites/history-samples.ts";
import { execute, openStorage, useServer } from "./server.ts";

const STARTED_AT = 1_767_225_600_000;

/** The index that each filter uses. */
const PATHS: readonly (readonly [filter: HistoryFilter, index: string])[] = [
  [{}, "history_by_instant"],
  [{ since: STARTED_AT, until: STARTED_AT + 5000 }, "history_by_instant"],
  [{ accountId: "acct_1" }, "history_by_account"],
  [{ accountId: "nobody" }, "history_by_account"],
  [{ tokenId: 1 }, "history_by_token"],
  [{ entryPoint: "snap" }, "history_by_entry_point"],
  [{ entryPoint: "mcp" }, "history_by_entry_point"],
  [{ mode: "screenshot" }, "history_by_mode"],
  [{ mode: "pdf" }, "history_by_mode"],
  // only the older half of the table has this host, so reading by instant would scan the newer half
  [{ host: "old.example" }, "history_by_host"],
  [{ host: "none.example" }, "history_by_host"],
  [{ code: "render_timeout" }, "history_by_code"],
  [{ isFailure: true }, "history_by_failure"],
  [{ isFailure: false }, "history_by_failure"],
  [{ cache: "hit" }, "history_by_cache"],
  [{ cache: "bypass" }, "history_by_cache"],
  [{ requestId: "request 7" }, "history_by_request"],
];

describe("the history in PostgreSQL", { tags: ["postgres"] }, () => {
  const { newDatabase } = useServer();
  let url = "";
  let storage: Storage;
  beforeAll(async () => {
    url = await newDatabase();
    storage = await openStorage({ url });
    for (let start = 0; start < 10_000; start += 500) {
      const entries = Array.from({ length: 500 }, (_, order) => {
        const index = start + order;
        const at = STARTED_AT + index;
        const common = { id: historyId(at), at, accountId: `acct_${index % 20}`, tokenId: index % 50 };
        const host = index < 5000 ? "old.example" : "new.example";
        const named = { ...common, host, requestId: `request ${index}` };
        return index % 20 === 3 ? failedEntry(named) : sampleEntry(named);
      });
      await storage.history.append({ entries, totals: [] });
    }
    const totals = Array.from({ length: 5000 }, (_, index) => {
      const day = new Date(STARTED_AT - (index % 100) * 86_400_000).toISOString().slice(0, 10);
      const tokenId = Math.trunc(index / 100);
      return sampleTotals({ day, tokenId, accountId: `acct_${tokenId % 20}` });
    });
    await storage.history.append({ entries: [], totals });
    return () => storage.close();
  });
  afterEach(() => vi.restoreAllMocks());

  /** Runs `work` and returns the plan of its last statement. */
  const planOf = async (work: () => Promise<unknown>): Promise<string> => {
    const query = vi.spyOn(pg.Client.prototype, "query");
    await work();
    const [statement] = query.mock.calls.at(-1) as unknown as [{ text: string; values: unknown[] }];
    query.mockRestore();
    const lines = await execute<{ "QUERY PLAN": string }>(url, `EXPLAIN ${statement.text}`, statement.values);
    return lines.map((line) => line["QUERY PLAN"]).join("\n");
  };

  it.each([
    ["without statistics", null],
    ["with statistics", "ANALYZE snap.history"],
  ])("reads a page through the index of its filter, %s", async (_, analyze) => {
    if (analyze !== null) await execute(url, analyze);
    for (const [filter, index] of PATHS)
      for (const after of [undefined, historyId(STARTED_AT + 5000)]) {
        const plan = await planOf(() => storage.history.page({ ...filter, after, limit: 50 }));
        expect(plan).toContain(`Index Scan Backward using ${index} on history`);
        expect(plan).not.toMatch(/Seq Scan|Bitmap/);
      }
  });

  it("uses indexes to count failures and to add up the totals of an account or a token", async () => {
    await execute(url, "VACUUM ANALYZE snap.history, snap.usage_totals");
    const { history } = storage;
    const since = STARTED_AT + 9000;
    expect(await planOf(() => history.failures({ since }))).toContain("history_by_failure");
    expect(await planOf(() => history.activity({ since, intervalMs: 1000 }))).toContain("history_by_instant");
    const days = { from: "2025-12-01", to: "2026-01-01", by: "day" } as const;
    expect(await planOf(() => history.usage({ ...days, tokenId: 7 }))).toContain("usage_by_token");
    expect(await planOf(() => history.usage({ ...days, accountId: "acct_9" }))).toContain("usage_by_account");
  });

  it("does not deadlock, whatever the order of totals", async () => {
    const tokens = Array.from({ length: 50 }, (_, tokenId) => sampleTotals({ day: "2026-02-01", tokenId }));
    const appends = Array.from({ length: 40 }, (_, index) =>
      storage.history.append({ entries: [], totals: index % 2 === 0 ? tokens : tokens.toReversed() }),
    );
    await Promise.all(appends);
    const sums = await storage.history.usage({ from: "2026-02-01", to: "2026-02-01", by: "token" });
    expect(sums.map(({ renders }) => renders)).toEqual(tokens.map(() => 120));
  });
});
