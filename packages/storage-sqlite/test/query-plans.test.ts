import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { temporaryDirectory } from "./temporary.ts";

/** What a statement may walk through as a whole, and why. */
const ALLOWED_SCANS = new Set([
  // The list of all accounts.
  "SCAN accounts",
  // At most one row, which check() wrote itself.
  "SCAN write_checks",
  // Not a table: the one row of values of an INSERT.
  "SCAN CONSTANT ROW",
]);

/** At opening only: the version, read from the file's header and from its schema. */
const isOfOpening = (sql: string): boolean => sql.includes("sqlite_schema");

describe("query plans", () => {
  it("search by an index, in every statement that the storage has", async () => {
    const prepare = vi.spyOn(DatabaseSync.prototype, "prepare");
    onTestFinished(() => prepare.mockRestore());
    const directory = await temporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    const statements = new Set(prepare.mock.calls.map(([sql]) => sql).filter((sql) => !isOfOpening(sql)));
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
      const sorts = steps.filter((step) => step.includes("TEMP B-TREE"));
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
      "journal",
      "SELECT at FROM journal WHERE account_id = 'a' ORDER BY sequence DESC LIMIT 1",
      "journal_by_account",
    ],
  ])("%s uses its own index", async (_, sql, index) => {
    const directory = await temporaryDirectory();
    await (await openSqliteStorage({ directory })).close();
    const database = new DatabaseSync(join(directory, "snap.db"));
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    expect(plan.map((row) => row.detail).join()).toContain(index);
    database.close();
  });
});
