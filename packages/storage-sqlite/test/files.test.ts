import type { SchemaMigration } from "@snap/engine/ports";
import { mkdir, readdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { MIGRATIONS } from "../src/migrate.ts";
import { sampleBatch } from "./sample-batch.ts";
import { createTemporaryDirectory } from "./temporary.ts";

const account = {
  id: "acct_1",
  email: "ada@example.com",
  emailVerifiedAt: null,
  planSlug: null,
  creditsPerPeriod: null,
  requestsPerMinute: null,
  createdAt: 1_767_225_600_000,
  suspendedAt: null,
  deletionStartedAt: null,
};

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

describe("the file", () => {
  it("persists records", async () => {
    const directory = await createTemporaryDirectory();
    const before = await openSqliteStorage({ directory });
    await before.accounts.insert(account);
    await before.close();
    const after = await openSqliteStorage({ directory });
    expect(await after.accounts.list()).toEqual([account]);
    await after.close();
  });

  it("can be closed twice, and is then no longer accessible", async () => {
    const storage = await openSqliteStorage({ directory: await createTemporaryDirectory() });
    await storage.close();
    await storage.close();
    await expect(storage.accounts.list()).rejects.toThrow("finalized");
  });

  it("is accessible only to its owner, like its directory", async () => {
    const directory = join(await createTemporaryDirectory(), "data", "snap");
    const storage = await openSqliteStorage({ directory });
    await storage.accounts.insert(account);
    expect(await modeOf(directory)).toBe("700");
    for (const suffix of ["", "-wal", "-shm"])
      expect(await modeOf(join(directory, `snap.db${suffix}`))).toBe("600");
    await storage.close();
  });

  it.each([{}, { directory: undefined }, { filename: undefined }])(
    "must be named: %j is rejected before anything is created",
    async (options) => {
      await expect(openSqliteStorage(options as { filename: string })).rejects.toThrow(
        new TypeError("openSqliteStorage needs a directory or a filename"),
      );
      await expect(stat("undefined.lock")).rejects.toThrow("ENOENT");
    },
  );

  it("can have a different name", async () => {
    const filename = join(await createTemporaryDirectory(), "other.sqlite");
    const storage = await openSqliteStorage({ filename });
    await storage.check();
    await storage.close();
    expect((await stat(filename)).isFile()).toBe(true);
  });

  it("can be an existing empty file", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    await writeFile(filename, "");
    const storage = await openSqliteStorage({ filename });
    expect(await storage.accounts.insert(account)).toBe(true);
    await storage.close();
  });

  it("must stay in place while it is in use", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    const storage = await openSqliteStorage({ filename });
    await storage.check();
    await rename(filename, `${filename}.moved`);
    await expect(storage.check()).rejects.toThrow("snap.db was removed or replaced");
    await writeFile(filename, "a backup");
    await expect(storage.check()).rejects.toThrow("snap.db was removed or replaced");
    await storage.close();
  });

  it("must be a database", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    await writeFile(filename, "x".repeat(5000));
    await expect(openSqliteStorage({ filename })).rejects.toThrow("file is not a database");
  });

  it("cannot be created if its directory is a file", async () => {
    const filename = join(await createTemporaryDirectory(), "file");
    await writeFile(filename, "");
    await expect(openSqliteStorage({ directory: filename })).rejects.toMatchObject({ code: "EEXIST" });
  });
});

describe("the write-ahead log", () => {
  it("stays short if rate limits are the only writes", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    const request = { accountId: "acct_1", name: "cached", limit: 10_000, windowMs: 60_000, now: 1 } as const;
    for (let index = 0; index < 3000; index += 1) await storage.rateLimiter.consume(request);
    // SQLite checkpoints the log after 1,000 pages of 4 KiB; this test writes 3,000
    expect((await stat(join(directory, "snap.db-wal"))).size).toBeLessThan(6_000_000);
    await storage.close();
  });
});

/** Creates a database with schema version 1 and one account. */
async function createOldDatabase(): Promise<string> {
  const filename = join(await createTemporaryDirectory(), "snap.db");
  const [first = ""] = MIGRATIONS;
  const database = new DatabaseSync(filename);
  database.exec(`${first} PRAGMA application_id = 0x736e6170; PRAGMA user_version = 1;
    INSERT INTO accounts (id, email, created_at) VALUES ('acct_1', 'ada@example.com', 1767225600000)`);
  database.close();
  return filename;
}

function versionOf(filename: string): unknown {
  const database = new DatabaseSync(filename);
  const { user_version: version } = database.prepare("PRAGMA user_version").get() ?? {};
  database.close();
  return version;
}

describe("migrations", () => {
  it("set the version and the application id", async () => {
    const directory = await createTemporaryDirectory();
    await (await openSqliteStorage({ directory })).close();
    const database = new DatabaseSync(join(directory, "snap.db"));
    expect(database.prepare("PRAGMA user_version").get()).toMatchObject({ user_version: 12 });
    expect(database.prepare("PRAGMA application_id").get()).toMatchObject({ application_id: 0x736e6170 });
    database.close();
  });

  it("upgrade a database from schema version 1 and preserve its records", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    const [first = ""] = MIGRATIONS;
    const database = new DatabaseSync(filename);
    database.exec(`${first} PRAGMA application_id = 0x736e6170; PRAGMA user_version = 1`);
    database.exec(`
      INSERT INTO accounts (id, email, created_at) VALUES ('acct_1', 'ada@example.com', 1767225600000);
      INSERT INTO tokens (account_id, abilities, secret_hash, sealed_signing_secret, created_at)
        VALUES ('acct_1', 'pdf', x'01', x'02', 1);
      INSERT INTO balances (account_id, period_started_at, granted, used, reserved) VALUES ('acct_1', 0, 10, 3, 1);
      INSERT INTO reservations (id, account_id, period_started_at, lapses_at, state)
        VALUES ('r1', 'acct_1', 0, 1000, 'open'), ('r0', 'acct_1', 0, 1000, 'settled');
      INSERT INTO journal (account_id, period_started_at, kind, credits, reservation_id, at) VALUES
        ('acct_1', 0, 'grant', 10, NULL, 1), ('acct_1', 0, 'reserve', 1, 'r0', 1), ('acct_1', 0, 'settle', 1, 'r0', 1);
      INSERT INTO renderings (account_id, key, content_type, notes, etag, stored_at, expires_at, bytes)
        VALUES ('acct_1', '0f1e', 'image/png', '[]', '"1"', 1, 1000, x'030405')`);
    database.close();

    const storage = await openSqliteStorage({ filename });
    expect(await storage.accounts.list()).toEqual([account]);
    expect(await storage.tokens.listByAccount("acct_1")).toMatchObject([{ id: 1, abilities: ["pdf"] }]);
    const found = await storage.renderings.get({ accountId: "acct_1", key: "0f1e", now: 1 });
    expect(found?.bytes).toEqual(new Uint8Array([3, 4, 5]));
    expect((await storage.renderings.stats())?.bytes).toBe(3 + 4096);
    // a batch inserted after the migration can settle a reservation made before it
    await storage.batches.insert(sampleBatch("batch_1"));
    const settled = await storage.batches.change({
      batchId: "batch_1",
      now: 2,
      settle: "r1",
      change: (batch, resolution) => (resolution === "settled" ? batch : null),
    });
    expect(settled).toEqual(sampleBatch("batch_1"));
    const period = { startedAt: 0, resetsAt: 1_000_000 };
    const balance = await storage.ledger.balance({ accountId: "acct_1", period, granted: 10, now: 2 });
    expect(balance).toEqual({ granted: 10, used: 4, reserved: 0 });
    // a reservation settled before the migration can be reversed
    expect(await storage.ledger.reverse({ reservationId: "r0", now: 3 })).toBe("reversed");
    const lines = await storage.ledger.journal({ accountId: "acct_1", limit: 10 });
    expect(lines.map(({ kind }) => kind)).toEqual(["reverse", "settle", "settle", "reserve", "grant"]);
    await storage.close();
    await (await openSqliteStorage({ filename })).close();
  });

  it("call beforeMigration and make a private copy first", async () => {
    const filename = await createOldDatabase();
    const announced: SchemaMigration[] = [];
    const beforeMigration = (migration: SchemaMigration): void => void announced.push(migration);
    const storage = await openSqliteStorage({ filename, beforeMigration });
    expect(await storage.accounts.list()).toEqual([account]);
    await storage.close();
    const copy = `${filename}.schema-1`;
    expect(announced).toEqual([{ from: 1, to: 12, copy }]);
    expect((await stat(copy)).mode & 0o777).toBe(0o600);
    expect(await readdir(dirname(filename))).not.toContain("snap.db.schema-1.draft");
    expect(versionOf(copy)).toBe(1);
    const database = new DatabaseSync(copy);
    expect(database.prepare("SELECT id FROM accounts").all()).toMatchObject([{ id: "acct_1" }]);
    database.close();
    await (await openSqliteStorage({ filename, beforeMigration })).close();
    expect(announced).toHaveLength(1);
    const created = join(dirname(filename), "new.db");
    await (await openSqliteStorage({ filename: created, beforeMigration })).close();
    expect(announced).toHaveLength(1);
  });

  it("change nothing if beforeMigration throws", async () => {
    const filename = await createOldDatabase();
    const beforeMigration = (): never => expect.fail("not now");
    await expect(openSqliteStorage({ filename, beforeMigration })).rejects.toThrow("not now");
    expect(versionOf(filename)).toBe(1);
    expect((await readdir(dirname(filename))).filter((name) => name.includes("schema"))).toEqual([]);
  });

  it("do not run if the copy cannot be made", async () => {
    const filename = await createOldDatabase();
    await mkdir(`${filename}.schema-1`);
    await expect(openSqliteStorage({ filename })).rejects.toMatchObject({ code: "EISDIR" });
    expect(versionOf(filename)).toBe(1);
    expect((await readdir(dirname(filename))).filter((name) => name.endsWith(".draft"))).toEqual([]);
  });

  it("reject a newer database without changing it", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    await (await openSqliteStorage({ filename })).close();
    const database = new DatabaseSync(filename);
    database.exec("PRAGMA user_version = 99");
    await expect(openSqliteStorage({ filename })).rejects.toThrow(
      /snap\.db was written by a newer release \(schema version 99; this release supports up to 12\); upgrade /,
    );
    await writeFile(`${filename}.schema-12`, "");
    await expect(openSqliteStorage({ filename })).rejects.toThrow(
      `use the newer release, or go back to ${filename}.schema-12, the copy from before the upgrade`,
    );
    expect(database.prepare("PRAGMA user_version").get()).toMatchObject({ user_version: 99 });
    database.close();
  });

  it("reject the database of another program without changing it", async () => {
    const filename = join(await createTemporaryDirectory(), "snap.db");
    const database = new DatabaseSync(filename);
    database.exec("CREATE TABLE notes (text)");
    await expect(openSqliteStorage({ filename })).rejects.toThrow(/snap\.db belongs to another program/);
    expect(database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()).toMatchObject({
      tables: 1,
    });
    database.close();
  });
});

describe("the journal", () => {
  it.each(["UPDATE journal SET credits = 0", "DELETE FROM journal"])("rejects %s", async (sql) => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    const period = { startedAt: 0, resetsAt: 1000 };
    await storage.ledger.balance({ accountId: "acct_1", period, granted: 10, now: 1 });
    const database = new DatabaseSync(join(directory, "snap.db"));
    expect(() => database.exec(sql)).toThrow("the journal is append-only");
    database.close();
    expect(await storage.ledger.journal({ accountId: "acct_1", limit: 10 })).toHaveLength(1);
    await storage.close();
  });
});
