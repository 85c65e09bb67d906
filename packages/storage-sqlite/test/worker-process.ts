import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";

const WORKER = fileURLToPath(new URL("worker.ts", import.meta.url));

/** A second process, and its output lines. */
export interface Worker {
  readonly child: ChildProcess;
  readonly lines: AsyncIterator<string>;
}

/** Starts a worker (worker.ts) that waits for `release`. */
export async function startWorker(
  task: "consume" | "store" | "churn" | "processBatches" | "submitAndProcess",
  { filename, name, now = 1 }: { readonly filename: string; readonly name: string; readonly now?: number },
): Promise<Worker> {
  const child = spawn(process.execPath, [WORKER, task, filename, name, String(now)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe("ready");
  return { child, lines };
}

export function release(workers: readonly Worker[]): void {
  for (const { child } of workers) child.stdin?.write("\n");
}

/**
 * Asserts that the ledger and the bytes of each account add up, no record is orphaned, and the file passes SQLite's
 * integrity check.
 */
export function expectConsistent(filename: string): void {
  const database = new DatabaseSync(filename, { timeout: 5_000 });
  expect(database.prepare("PRAGMA integrity_check").all()).toMatchObject([{ integrity_check: "ok" }]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  const wrong = database
    .prepare(
      `SELECT b.account_id FROM balances b JOIN journal j USING (account_id, period_started_at)
       GROUP BY b.account_id, b.period_started_at
       HAVING max(granted) <> sum(iif(kind = 'grant', credits, 0))
         OR max(used) <> sum(CASE kind WHEN 'settle' THEN credits WHEN 'reverse' THEN -credits ELSE 0 END)
         OR max(reserved) <> sum(
           CASE WHEN kind = 'reserve' THEN credits WHEN kind IN ('grant', 'reverse') THEN 0 ELSE -credits END)`,
    )
    .all();
  expect(wrong).toEqual([]);
  const orphans = database
    .prepare(
      `SELECT id FROM reservations LEFT JOIN balances USING (account_id, period_started_at) WHERE granted IS NULL`,
    )
    .all();
  expect(orphans).toEqual([]);
  const open = database.prepare("SELECT count(*) AS open FROM reservations WHERE state = 'open'").get();
  const reserved = database.prepare("SELECT coalesce(sum(reserved), 0) AS open FROM balances").get();
  expect(reserved).toEqual(open);
  const cached = database
    .prepare(
      `SELECT account_id, sum(coalesce(size, length(bytes)) + 4096) AS bytes FROM renderings
       GROUP BY account_id ORDER BY account_id`,
    )
    .all();
  expect(database.prepare("SELECT * FROM cache_accounts ORDER BY account_id").all()).toEqual(cached);
  const total = database
    .prepare("SELECT bytes, (SELECT coalesce(sum(bytes), 0) FROM cache_accounts) AS sum FROM cache_total")
    .get();
  expect(total?.["bytes"]).toBe(total?.["sum"]);
  database.close();
}
