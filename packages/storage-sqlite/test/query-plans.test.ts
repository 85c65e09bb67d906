import type { BatchRecord, ItemState } from "@snap/engine/ports";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { temporaryDirectory } from "./temporary.ts";

/** What a statement may walk through as a whole, and why. */
const ALLOWED_SCANS = new Set([
  // The list of all accounts.
  "SCAN accounts",
  // At most one row, which check() wrote itself.
  "SCAN write_checks",
  // Not a table: the one row of values of an INSERT.
  "SCAN CONSTANT ROW",
  // The accounts that have an unfinished item, each found by one step in the index.
  "SCAN waiting",
  // The accounts that the caller passes over.
  "SCAN json_each VIRTUAL TABLE INDEX 1:",
  // Counts what is unfinished; nothing else is in it.
  "SCAN batch_items USING COVERING INDEX unfinished_items",
  "SCAN deliveries USING COVERING INDEX open_deliveries",
]);

/** Sorts the first items of the accounts, after they have been found. */
const isSortedByAccount = (sql: string): boolean => sql.startsWith("WITH RECURSIVE waiting");

const FAILED: ItemState = { status: "failed", code: "render_failed", message: "It failed." };

/** Read by audits alone, from the newest line on: an index over accounts would cost every render. */
const isForAudits = (sql: string): boolean => sql.includes("FROM journal");

/** At opening only: the version, read from the file's header and from its schema. */
const isOfOpening = (sql: string): boolean => sql.includes("sqlite_schema");

describe("query plans", () => {
  it("search by an index, in every statement that the storage has", async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
    onTestFinished(() => prepare.mockRestore());
    const directory = await temporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    const statements = new Set(
      prepare.mock.calls.map(([sql]) => sql).filter((sql) => !isOfOpening(sql) && !isForAudits(sql)),
    );
    prepare.mockRestore();
    await storage.close();
    expect(statements.size).toBeGreaterThan(20);

    const database = new DatabaseSync(join(directory, "snap.db"));
    onTestFinished(() => database.close());
    for (const sql of statements) {
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all({});
      const steps = plan.map((row) => String(row.detail));
      // Reads one row, whatever the table holds: check() does.
      const readsOneRow = /^SELECT 1 FROM \w+ LIMIT 1$/.test(sql);
      const scans = (readsOneRow ? [] : steps).filter(
        (step) => step.startsWith("SCAN") && !ALLOWED_SCANS.has(step),
      );
      const sorts = (isSortedByAccount(sql) ? [] : steps).filter((step) => step.includes("TEMP B-TREE"));
      expect({ sql, scans, sorts }).toEqual({ sql, scans: [], sorts: [] });
    }
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
      "dueItems, for the next account",
      "SELECT min(account_id) FROM batch_items WHERE claimable_at IS NOT NULL AND account_id > 'a'",
      "COVERING INDEX unfinished_items (account_id>?)",
    ],
    [
      "dueItems, for the first item of one",
      `SELECT rowid FROM batch_items WHERE account_id = 'a' AND claimable_at <= 1
       ORDER BY claimable_at, batch, position LIMIT 1`,
      "COVERING INDEX unfinished_items (account_id=? AND claimable_at<?)",
    ],
    [
      "dueDeliveries, for the next account",
      "SELECT min(account_id) FROM deliveries WHERE claimable_at IS NOT NULL AND account_id > 'a'",
      "COVERING INDEX open_deliveries (account_id>?)",
    ],
    [
      "dueDeliveries, for the first of one",
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
      "figures, for the oldest",
      "SELECT min(created_at) FROM batches WHERE finished_at IS NULL",
      "INDEX unfinished_batches",
    ],
    [
      "figures, for the deliveries",
      "SELECT count(*) FROM deliveries WHERE claimable_at IS NOT NULL",
      "COVERING INDEX open_deliveries",
    ],
  ])("%s uses its own index", async (_, sql, index) => {
    const directory = await temporaryDirectory();
    await (await openSqliteStorage({ directory })).close();
    const database = new DatabaseSync(join(directory, "snap.db"));
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.map((row) => row.detail).join()).toContain(index);
    database.close();
  });

  it("find the queue's indexes empty once everything is finished", async () => {
    const filename = join(await temporaryDirectory(), "snap.db");
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
    const finish = (batch: BatchRecord): BatchRecord => ({
      ...batch,
      finishedAt: 2,
      prunesAt: 3,
      items: batch.items.map((item) => ({ ...item, state: FAILED })),
      delivery: { status: "abandoned", attempts: 1 },
    });
    for (let index = 0; index < 50; index += 1)
      await storage.batches.change({ batchId: `batch_${index}`, now: 2, change: finish });
    expect(entries()).toEqual([0, 0, 0]);
    await storage.close();
  });
});
