import type { BatchRecord, ItemState } from "@snap/engine/ports";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { createTemporaryDirectory } from "./temporary.ts";

/** The full scans that are allowed, and why. */
const ALLOWED_SCANS = new Set([
  // lists all accounts, or finds those that are being deleted
  "SCAN accounts",
  // at most two rows: of check(), and of the ledger's reserve
  "SCAN write_checks",
  // not a table: the values of an INSERT
  "SCAN CONSTANT ROW",
  // the accounts with an unfinished item or an open delivery, each found by one index lookup
  "SCAN waiting",
  // the accounts that the caller excludes
  "SCAN json_each VIRTUAL TABLE INDEX 1:",
  // reads the last entry, which is the account with the most bytes
  "SCAN cache_accounts USING COVERING INDEX cache_accounts_by_bytes",
  // the rows of one range of a scan (prepareScan)
  "SCAN (subquery-1)",
  // deletes all renderings
  "SCAN renderings USING COVERING INDEX renderings_by_expiry",
  // the accounts that are being deleted, or were deleted in the last day
  "SCAN deletions",
  // the renders that are running, and those of processes that were killed
  "SCAN reservations USING INDEX open_reservations",
  // counts unfinished rows; the indexes contain only those
  "SCAN batch_items USING COVERING INDEX unfinished_items",
  "SCAN deliveries USING COVERING INDEX open_deliveries",
  // adds up the rows that an index found
  "SCAN sums",
  "SCAN (subquery-2)",
]);

/** These statements sort the first due items, or deliveries, of all accounts. */
const sortsFirstItems = (sql: string): boolean => sql.startsWith("WITH RECURSIVE waiting");

/** These add up a range of the history, or of its totals. */
const addsUp = (sql: string): boolean => sql.includes("GROUP BY");

/** Sorts the entries of one request. */
const sortsOneRequest = (sql: string): boolean => sql.includes("INDEXED BY history_by_request");

/** Sorts the entries of one millisecond: the index is in the order of the instants. */
const SORTS_TIES = "USE TEMP B-TREE FOR LAST TERM OF ORDER BY";

const FAILED: ItemState = { status: "failed", code: "render_failed", message: "It failed." };

/**
 * The journal has no index on accounts, which would slow down every render: audits and commands
 * scan it, and pruning reads its start.
 */
const readsJournal = (sql: string): boolean => sql.includes("FROM journal");

/** Reads the version from the file header and the schema, only when the file is opened. */
const isForOpening = (sql: string): boolean => sql.includes("sqlite_schema");

/** Returns the steps of each statement, by its text, without those for opening and on the journal. */
async function readPlans(): Promise<ReadonlyMap<string, readonly string[]>> {
  const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
  onTestFinished(() => prepare.mockRestore());
  const directory = await createTemporaryDirectory();
  const storage = await openSqliteStorage({ directory });
  const statements = new Set(
    prepare.mock.calls.map(([sql]) => sql).filter((sql) => !isForOpening(sql) && !readsJournal(sql)),
  );
  prepare.mockRestore();
  await storage.close();
  expect(statements.size).toBeGreaterThan(20);

  const database = new DatabaseSync(join(directory, "snap.db"));
  onTestFinished(() => database.close());
  const stepsOf = (sql: string): string[] =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all({})
      .map((row) => String(row.detail));
  return new Map([...statements].map((sql) => [sql, stepsOf(sql)]));
}

describe("query plans", () => {
  it("use an index in every statement of the storage", async () => {
    for (const [sql, steps] of await readPlans()) {
      // check() reads any one row of each of several tables
      const readsOneRow = /^SELECT 1 FROM \w+ LIMIT 1$/.test(sql);
      const scans = (readsOneRow ? [] : steps).filter(
        (step) => step.startsWith("SCAN") && !ALLOWED_SCANS.has(step),
      );
      const maySort = sortsFirstItems(sql) || addsUp(sql) || sortsOneRequest(sql);
      const sorts = (maySort ? [] : steps).filter(
        (step) => step.includes("TEMP B-TREE") && step !== SORTS_TIES,
      );
      expect({ sql, scans, sorts }).toEqual({ sql, scans: [], sorts: [] });
    }
  });

  it("read the history in order with every filter, and count it from indexes alone", async () => {
    const plans = [...(await readPlans())];
    const pathsOf = (isSelected: (sql: string) => boolean): string[] => {
      const steps = plans
        .filter(([sql]) => isSelected(sql))
        // newer versions of SQLite add this word
        .flatMap(([, all]) => all.map((step) => step.replace(" EXISTS", "")));
      return steps.filter((step) => step.includes(" history_by_") || step.includes(" usage_")).toSorted();
    };
    const range = "at>? AND at<?";
    expect(pathsOf((sql) => sql.includes("ORDER BY at DESC"))).toEqual([
      `SEARCH history USING INDEX history_by_account (slice=? AND account=? AND ${range})`,
      `SEARCH history USING INDEX history_by_cache (cache=? AND ${range})`,
      `SEARCH history USING INDEX history_by_code (code=? AND ${range})`,
      `SEARCH history USING INDEX history_by_entry_point (entry_point=? AND ${range})`,
      `SEARCH history USING INDEX history_by_host (slice=? AND host=? AND ${range})`,
      `SEARCH history USING INDEX history_by_instant (${range})`,
      `SEARCH history USING INDEX history_by_mode (mode=? AND ${range})`,
      "SEARCH history USING INDEX history_by_request (slice=? AND request=?)",
      // failures, and successes
      `SEARCH history USING INDEX history_by_success (<expr>=? AND ${range})`,
      `SEARCH history USING INDEX history_by_success (<expr>=? AND ${range})`,
      `SEARCH history USING INDEX history_by_token (slice=? AND token_id=? AND ${range})`,
    ]);
    expect(pathsOf((sql) => sql.includes("FROM history_slices") && sql.includes("EXISTS"))).toEqual([
      "SEARCH history USING COVERING INDEX history_by_account (slice=? AND account=?)",
      "SEARCH history USING COVERING INDEX history_by_host (slice=? AND host=?)",
      "SEARCH history USING COVERING INDEX history_by_request (slice=? AND request=?)",
      "SEARCH history USING COVERING INDEX history_by_token (slice=? AND token_id=?)",
    ]);
    expect(pathsOf((sql) => sql.includes("FROM history ") && addsUp(sql))).toEqual([
      "SEARCH history USING COVERING INDEX history_by_cache (cache=? AND at>?)",
      // activity, and failures
      "SEARCH history USING COVERING INDEX history_by_success (<expr>=? AND at>?)",
      "SEARCH history USING COVERING INDEX history_by_success (<expr>=? AND at>?)",
    ]);
    const [all, account, token] = ["", "account=? AND ", "token_id=? AND "].map(
      (key) => `(${key}day>? AND day<?)`,
    );
    const repeatPerGrouping = (path: string): string[] => [path, path, path];
    expect(pathsOf((sql) => sql.startsWith("WITH sums"))).toEqual([
      ...repeatPerGrouping(`SEARCH usage_totals USING INDEX usage_by_account ${account}`),
      ...repeatPerGrouping(`SEARCH usage_totals USING INDEX usage_by_token ${token}`),
      ...repeatPerGrouping(`SEARCH usage_totals USING PRIMARY KEY ${all}`),
    ]);
  });

  it("list and count one account's batches by the index on accounts", async () => {
    const plans = [...(await readPlans())].filter(([sql]) => sql.includes(":isFinished IS NULL"));
    const paths = plans.map(([, steps]) => steps.filter((step) => /^\w+ batches .*rowid/.test(step)));
    expect(paths.flat().toSorted()).toEqual([
      // a page, and a count
      "SEARCH batches USING INDEX batches_by_account (account_id=? AND rowid<?)",
      "SEARCH batches USING INDEX batches_by_account (account_id=? AND rowid<?)",
      "SEARCH batches USING INTEGER PRIMARY KEY (rowid<?)",
      "SEARCH batches USING INTEGER PRIMARY KEY (rowid<?)",
    ]);
  });

  it.each([
    [
      "findBalance",
      "SELECT 1 FROM reservations WHERE account_id = 'a' AND state = 'open' AND lapses_at <= 1",
      "open_reservations",
    ],
    [
      "prune",
      "SELECT rowid FROM renderings WHERE expires_at <= 1 ORDER BY expires_at LIMIT 1",
      "renderings_by_expiry",
    ],
    [
      "eviction, oldest rendering of an account",
      "SELECT rowid FROM renderings WHERE account_id = 'a' ORDER BY stored_at, rowid LIMIT 1",
      "COVERING INDEX renderings_by_age (account_id=?)",
    ],
    [
      "dueItems, next account",
      "SELECT min(account_id) FROM batch_items WHERE claimable_at IS NOT NULL AND account_id > 'a'",
      "COVERING INDEX unfinished_items (account_id>?)",
    ],
    [
      "dueItems, first item of an account",
      `SELECT rowid FROM batch_items WHERE account_id = 'a' AND claimable_at <= 1
       ORDER BY claimable_at, batch, position LIMIT 1`,
      "COVERING INDEX unfinished_items (account_id=? AND claimable_at<?)",
    ],
    [
      "dueDeliveries, next account",
      "SELECT min(account_id) FROM deliveries WHERE claimable_at IS NOT NULL AND account_id > 'a'",
      "COVERING INDEX open_deliveries (account_id>?)",
    ],
    [
      "dueDeliveries, first delivery of an account",
      `SELECT batch FROM deliveries WHERE account_id = 'a' AND claimable_at <= 1
       ORDER BY claimable_at, batch LIMIT 1`,
      "COVERING INDEX open_deliveries (account_id=? AND claimable_at<?)",
    ],
    [
      "prune of batches",
      "SELECT sequence FROM batches WHERE prunes_at <= 1 ORDER BY prunes_at LIMIT 1",
      "COVERING INDEX batches_by_pruning (prunes_at<?)",
    ],
    [
      "stats, oldest batch",
      "SELECT min(created_at) FROM batches WHERE finished_at IS NULL",
      "INDEX unfinished_batches",
    ],
    [
      "stats, deliveries",
      "SELECT count(*) FROM deliveries WHERE claimable_at IS NOT NULL",
      "COVERING INDEX open_deliveries",
    ],
  ])("use the intended index for %s", async (_, sql, index) => {
    const directory = await createTemporaryDirectory();
    await (await openSqliteStorage({ directory })).close();
    const database = new DatabaseSync(join(directory, "snap.db"));
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.map((row) => row.detail).join()).toContain(index);
    database.close();
  });
});

it("the queue's indexes contain only unfinished items, batches and deliveries", async () => {
  const filename = join(await createTemporaryDirectory(), "snap.db");
  const storage = await openSqliteStorage({ filename });
  for (let index = 0; index < 50; index += 1) await storage.batches.insert(sampleBatch(`batch_${index}`));
  const database = new DatabaseSync(filename);
  onTestFinished(() => database.close());
  const entries = (): unknown[] =>
    ["unfinished_items", "unfinished_batches", "open_deliveries"].map(
      (index) =>
        database.prepare("SELECT sum(ncell) AS cells FROM dbstat WHERE name = ?").get(index)?.["cells"],
    );
  expect(entries()).toEqual([100, 50, 0]);
  const changeAll = async (change: (batch: BatchRecord) => BatchRecord): Promise<void> => {
    for (let index = 0; index < 50; index += 1)
      await storage.batches.change({ batchId: `batch_${index}`, now: 2, change });
  };
  await changeAll((batch) => ({
    ...batch,
    finishedAt: 2,
    prunesAt: 3,
    items: batch.items.map((item) => ({ ...item, state: FAILED })),
    delivery: { status: "due", dueAt: 2, attempts: 0, fence: 0 },
  }));
  expect(entries()).toEqual([0, 0, 50]);
  await changeAll((batch) => ({ ...batch, delivery: { status: "abandoned", attempts: 1 } }));
  expect(entries()).toEqual([0, 0, 0]);
  await storage.close();
});
