import { openSqliteStorage } from "@snap/storage-sqlite";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { openWorkspace } from "../cli/command.ts";
import { execute, openShared, useDatabases } from "./databases.ts";

const KILLS = 6;
/** About twenty pages of the transfer. */
const COUNTS = { accounts: 3_000, tokens: 6_000, reservations: 20_000, lines: 40_000, batches: 1_500 };
const RECORD_COUNT =
  2 * COUNTS.accounts + COUNTS.tokens + COUNTS.reservations + COUNTS.lines + COUNTS.batches;

/** Without a key file, so `migrate` does not check the tokens' secrets, which are random bytes. */
const workspace = openWorkspace();
afterAll(() => workspace.cleanUp());

describe("migrate, killed at random moments", { tags: ["postgres"] }, () => {
  const { newDatabase } = useDatabases();

  it("resumes, with the same result as an uninterrupted migration", { timeout: 180_000 }, async () => {
    const folder = join(workspace.directory, "data");
    await (await openSqliteStorage({ directory: folder })).close();
    fill(join(folder, "snap.db"));

    const [control, killed] = [await newDatabase(), await newDatabase()];
    await workspace.json(["migrate", "--from", folder, "--to", control]);

    const watcher = new pg.Client({ connectionString: killed });
    await watcher.connect();
    const movedBefore: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      movedBefore.push(await countMovedRecords(watcher));
      const running = workspace.start(["migrate", "--from", folder, "--to", killed]);
      const targetCount = RECORD_COUNT * ((kill + Math.random()) / (KILLS + 1));
      while ((await countMovedRecords(watcher)) < targetCount && running.child.exitCode === null);
      running.child.kill("SIGKILL");
      expect((await running.ended).signal).toBe("SIGKILL");
      // PostgreSQL may still be writing what it received.
      await expect.poll(() => countConnections(watcher)).toBe(0);
      await expect(openShared(killed)).rejects.toThrow("a data migration into this database is unfinished");
    }
    expect(movedBefore).toEqual(movedBefore.toSorted((a, b) => a - b));

    const movedLast = RECORD_COUNT - (await countMovedRecords(watcher));
    const last = await workspace.start(["migrate", "--from", folder, "--to", killed, "--json"]).ended;
    expect(last.code).toBe(0);
    expect(JSON.parse(last.stdout)).toMatchObject({ moved: movedLast, was_finished: false });
    expect(await countMovedRecords(watcher)).toBe(RECORD_COUNT);
    await watcher.end();

    expect(await digestsOf(killed)).toEqual(await digestsOf(control));
    const storage = await openShared(killed);
    expect((await storage.accounts.list()).map(({ createdAt }) => createdAt)).toEqual(
      Array.from({ length: COUNTS.accounts }, (_, index) => index),
    );
    await storage.close();
  });
});

/**
 * Sort order of each table. The digests omit sequence numbers, which differ, because rolled-back
 * transactions leave gaps.
 */
const TABLES: Readonly<Record<string, string>> = {
  accounts: "sequence",
  tokens: "id",
  balances: "account_id, period_started_at",
  reservations: "id",
  journal: "sequence",
  batches: "sequence",
  batch_items: "batch, position",
  deliveries: "batch",
};

async function digestsOf(url: string): Promise<unknown[]> {
  const digest = async ([table, order]: readonly [string, string]): Promise<unknown> => {
    const rows = await execute(
      url,
      `SELECT count(*), md5(string_agg((to_jsonb(one) - 'sequence' - 'batch')::TEXT, ';' ORDER BY ${order}))
       FROM snap.${table} AS one`,
    );
    return { table, rows };
  };
  return Promise.all(Object.entries(TABLES).map(digest));
}

async function countConnections(watcher: pg.Client): Promise<number> {
  const { rows } = await watcher.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'snap'",
  );
  return rows.length;
}

async function countMovedRecords(watcher: pg.Client): Promise<number> {
  const [made] = (await watcher.query("SELECT to_regclass('snap.moves') IS NOT NULL AS is")).rows as {
    is: boolean;
  }[];
  if (made?.is !== true) return 0;
  const [row] = (await watcher.query("SELECT moved::INTEGER FROM snap.moves")).rows as { moved: number }[];
  return row?.moved ?? 0;
}

function fill(filename: string): void {
  const database = new DatabaseSync(filename);
  const insert = (columns: string, count: number, select: string): void =>
    database.exec(
      `INSERT INTO ${columns} WITH RECURSIVE numbers (n) AS
         (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1}) SELECT ${select} FROM numbers`,
    );
  const account = `'acct_' || ((n * 7919) % ${COUNTS.accounts})`;
  database.exec("BEGIN");
  insert("accounts (id, email, created_at)", COUNTS.accounts, `${account}, n || '@example.com', n`);
  insert(
    "tokens (account_id, abilities, secret_hash, sealed_signing_secret, created_at)",
    COUNTS.tokens,
    `${account}, 'pdf', randomblob(32), randomblob(60), n`,
  );
  insert(
    "balances (account_id, period_started_at, granted, used)",
    COUNTS.accounts,
    `${account}, 1, n, n % 5`,
  );
  insert("reservations", COUNTS.reservations, `'res_' || n, ${account}, 1, n, 'settled'`);
  insert(
    "journal (account_id, period_started_at, kind, credits, reservation_id, at)",
    COUNTS.lines,
    `${account}, 1, iif(n % 2, 'settle', 'reserve'), 1, 'res_' || (n / 2), n`,
  );
  const done = { status: "done", etag: '"1"', targetStatus: 200, expiresAt: 1, creditCost: 1 };
  const delivery = { status: "due", dueAt: 5, attempts: 1, fence: 1 };
  insert(
    "batches (id, account_id, token_id, webhook_url, created_at, finished_at, prunes_at)",
    COUNTS.batches,
    `'batch_' || (n * 7919 % ${COUNTS.batches}), 'acct_1', 1, 'https://example.com/', n, n, n`,
  );
  insert(
    "batch_items (batch, position, id, account_id, key, parameters, state, status)",
    2 * COUNTS.batches,
    `n / 2 + 1, n % 2, 'item_' || n, 'acct_1', n, '{"url":"https://example.com/"}', '${JSON.stringify(done)}', 'done'`,
  );
  insert(
    "deliveries (batch, account_id, state, claimable_at)",
    COUNTS.batches,
    `n + 1, 'acct_1', '${JSON.stringify(delivery)}', 5`,
  );
  database.exec("COMMIT");
  database.close();
}
