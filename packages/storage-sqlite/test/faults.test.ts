import type { Storage, StoredRendering } from "@snap/engine/ports";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { sampleAccount } from "../../testing/src/suites/account-samples.ts";
import { sampleToken } from "../../testing/src/suites/token-samples.ts";
import { openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { createTemporaryDirectory } from "./temporary.ts";

const SQLITE_BUSY = 5;
const SQLITE_FULL = 13;
/** SQLite's default for a new file. */
const PAGE_BYTES = 4096;

const balanceRequest = {
  accountId: "acct_1",
  period: { startedAt: 0, resetsAt: 1_000_000 },
  granted: 10,
  now: 1,
};
const name = { accountId: "acct_1", key: "0f1e" };

function rendering(bytes: Uint8Array<ArrayBuffer>): StoredRendering {
  return {
    bytes,
    contentType: "image/png",
    targetStatus: 200,
    notes: [],
    etag: '"1"',
    storedAt: 1,
    expiresAt: 1_000_000,
  };
}

/** Writes that allocate no new pages. */
function startSmallWrites(storage: Storage): Promise<unknown>[] {
  return [
    storage.ledger.reserve({ ...balanceRequest, reservationId: "r2", lapsesAt: 1000 }),
    storage.ledger.settle({ reservationId: "r1", now: 2 }),
    storage.rateLimiter.consume({ accountId: "acct_2", name: "render", limit: 1, windowMs: 1000, now: 1 }),
    storage.accounts.update("acct_1", { planSlug: null }),
    storage.tokens.revoke(1),
  ];
}

function startLargeWrites(storage: Storage): Promise<unknown>[] {
  const large = rendering(new Uint8Array(100_000));
  return [
    storage.check(),
    storage.renderings.put({ accountId: "acct_2", key: "1", rendering: large }),
    storage.batches.insert(sampleBatch("batch_1", { itemCount: 20, selector: "x".repeat(10_000) })),
  ];
}

/** Returns SQLite's result code of each write, or `done`. */
async function outcomesOf(writes: readonly Promise<unknown>[]): Promise<unknown[]> {
  const outcomes = await Promise.allSettled(writes);
  return outcomes.map((outcome) =>
    outcome.status === "fulfilled" ? "done" : (outcome.reason as { errcode: unknown }).errcode,
  );
}

async function readsOf(storage: Storage): Promise<unknown[]> {
  const [balance, found] = await Promise.all([
    storage.ledger.balance(balanceRequest),
    storage.renderings.get({ ...name, now: 1 }),
  ]);
  return [balance, found?.bytes];
}

const STORED = [{ granted: 10, used: 0, reserved: 1 }, new Uint8Array([1, 2, 3])];

async function store(storage: Storage): Promise<void> {
  await storage.ledger.reserve({ ...balanceRequest, reservationId: "r1", lapsesAt: 1000 });
  await storage.renderings.put({ ...name, rendering: rendering(new Uint8Array([1, 2, 3])) });
}

/** Opens a storage, and returns its connection: a page limit applies to only one connection. */
async function openWithConnection(): Promise<{ storage: Storage; connection: DatabaseSync }> {
  const exec = vi.spyOn(DatabaseSync.prototype, "exec");
  const storage = await openSqliteStorage({ directory: await createTemporaryDirectory() });
  // the other connection locks the folder
  const connection = exec.mock.contexts.at(-1) as DatabaseSync;
  exec.mockRestore();
  return { storage, connection };
}

describe("a locked database", () => {
  it("rejects writes, allows reads, and recovers", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory, busyTimeoutMs: 1 });
    await store(storage);
    const other = new DatabaseSync(join(directory, "snap.db"));
    other.exec("BEGIN EXCLUSIVE");
    const writes = [...startSmallWrites(storage), ...startLargeWrites(storage)];
    expect(await outcomesOf(writes)).toEqual(Array(8).fill(SQLITE_BUSY));
    expect(await readsOf(storage)).toEqual(STORED);
    other.exec("ROLLBACK");
    other.close();
    const repeated = [...startSmallWrites(storage), ...startLargeWrites(storage)];
    expect(await outcomesOf(repeated)).toEqual(Array(8).fill("done"));
    await storage.close();
  });
});

describe("a long read, such as that of a backup", () => {
  it("delays the deletion of an account, but nothing else", async () => {
    const directory = await createTemporaryDirectory();
    // longer than a test may take: a wait would block this process
    const storage = await openSqliteStorage({ directory, busyTimeoutMs: 70_000 });
    await storage.accounts.insert(sampleAccount());
    await storage.tokens.insert(sampleToken());
    const filename = join(directory, "snap.db");
    const [reader, writer] = [new DatabaseSync(filename), new DatabaseSync(filename)];
    reader.exec("BEGIN; SELECT count(*) FROM accounts");
    const deletion = storage.accounts.delete({ id: "acct_1", now: 2 });
    await storage.ledger.reserve({ ...balanceRequest, reservationId: "r1", lapsesAt: 1000 });
    writer.exec("DELETE FROM write_checks");
    expect(await Promise.race([deletion, Promise.resolve("waiting")])).toBe("waiting");
    reader.exec("COMMIT");
    expect(await deletion).toBe(true);
    for (const database of [reader, writer]) database.close();
    await storage.close();
  });
});

describe("a failed commit", () => {
  it("rejects the creation of a token and the replacement of its signing secret", async () => {
    const { storage, connection } = await openWithConnection();
    await storage.accounts.insert(sampleAccount());
    const token = await storage.tokens.insert(sampleToken());
    // a commit rejects what violates a deferred constraint
    connection.exec(`CREATE TEMP TRIGGER invalid AFTER UPDATE ON tokens
      BEGIN UPDATE tokens SET account_id = 'unknown' WHERE id = new.id; END`);
    connection.exec("PRAGMA defer_foreign_keys = ON");
    await expect(storage.tokens.insert(sampleToken({ accountId: "unknown" }))).rejects.toThrow("FOREIGN KEY");
    connection.exec("PRAGMA defer_foreign_keys = ON");
    const secrets = { current: token.sealedSigningSecret, next: "02".repeat(60) };
    await expect(storage.tokens.replaceSigningSecret(token.id, secrets)).rejects.toThrow("FOREIGN KEY");
    expect(await storage.tokens.findNewest()).toEqual(token);
    await storage.close();
  });
});

describe("a full disk", () => {
  it("rejects writes that need space, except those of renderings, allows reads, and recovers", async () => {
    const { storage, connection } = await openWithConnection();
    await store(storage);
    connection.exec("PRAGMA max_page_count = 1");
    expect(await outcomesOf(startLargeWrites(storage))).toEqual([SQLITE_FULL, "done", SQLITE_FULL]);
    expect(await readsOf(storage)).toEqual(STORED);
    expect(await storage.batches.find("batch_1")).toBeNull();
    expect(await storage.batches.stats({ now: 1 })).toMatchObject({ queuedItems: 0 });
    connection.exec("PRAGMA max_page_count = 1000000");
    expect(await outcomesOf([...startSmallWrites(storage), ...startLargeWrites(storage)])).toEqual(
      Array(8).fill("done"),
    );
    await storage.close();
  });

  it("leaves the ledger consistent when a reservation fails", async () => {
    const { storage, connection } = await openWithConnection();
    const grant = { ...balanceRequest, granted: 10_000 };
    await storage.ledger.balance(grant);
    connection.exec("PRAGMA max_page_count = 1");
    // reservations fill the existing pages until a table needs another one
    let reservationCount = 0;
    const reserveUntilFull = async (): Promise<never> => {
      for (; reservationCount < 10_000; reservationCount += 1)
        await storage.ledger.reserve({ ...grant, reservationId: `r${reservationCount}`, lapsesAt: 1000 });
      throw new Error("the disk never became full");
    };
    await expect(reserveUntilFull()).rejects.toMatchObject({
      code: "ERR_SQLITE_ERROR",
      errcode: SQLITE_FULL,
    });
    expect(reservationCount).toBeGreaterThan(0);
    expect(await storage.ledger.balance(grant)).toEqual({
      granted: 10_000,
      used: 0,
      reserved: reservationCount,
    });
    const journal = await storage.ledger.journal({ accountId: "acct_1", limit: 100_000 });
    expect(journal.filter((entry) => entry.kind === "reserve")).toHaveLength(reservationCount);
    await storage.close();
  });
});

describe("a corrupt file", () => {
  it("fails the check", async () => {
    const directory = await createTemporaryDirectory();
    const intact = await openSqliteStorage({ directory });
    await intact.check();
    await intact.close();
    const filename = join(directory, "snap.db");
    const database = new DatabaseSync(filename);
    const roots = database.prepare("SELECT rootpage FROM sqlite_schema WHERE rootpage > 0").all();
    database.close();
    const file = await open(filename, "r+");
    // all root pages but that of the schema, so the file still opens
    for (const { rootpage } of roots)
      await file.write(Buffer.alloc(PAGE_BYTES, 0xff), 0, PAGE_BYTES, (Number(rootpage) - 1) * PAGE_BYTES);
    await file.close();
    const corrupt = await openSqliteStorage({ directory });
    await expect(corrupt.check()).rejects.toThrow(/malformed/);
    await corrupt.close();
  });
});
