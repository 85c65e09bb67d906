import type { TransferPage, TransferSource } from "@snap/engine/ports";
import { once } from "node:events";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openSqliteSource, openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { createTemporaryDirectory } from "./temporary.ts";
import { release, startWorker } from "./worker-process.ts";

const PERIOD = { startedAt: 0, resetsAt: 1000 };
const CLAIM = { keyHash: "0a", digest: "0b", expiresAt: 9 };
const balanceRequest = { accountId: "acct_1", period: PERIOD, granted: 5 };

async function createDataDirectory(): Promise<string> {
  const directory = await createTemporaryDirectory();
  await (await openSqliteStorage({ directory })).close();
  return directory;
}

async function readAll(source: TransferSource): Promise<TransferPage[]> {
  const pages: TransferPage[] = [];
  for (let page = await source.read(null); page !== null; page = await source.read(page.next))
    pages.push(page);
  return pages;
}

describe("a transfer source", () => {
  it("returns every record once, in order, over many pages", async () => {
    const directory = await createDataDirectory();
    const database = new DatabaseSync(join(directory, "snap.db"));
    const numbers =
      "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < 12344)";
    database.exec(`INSERT INTO accounts (id, email, created_at)
      ${numbers} SELECT 'acct_' || (99999 - n), n || '@example.com', n FROM numbers`);
    database.exec(`INSERT INTO balances (account_id, period_started_at, granted)
      ${numbers} SELECT 'acct_' || (n / 3), n % 3, n FROM numbers`);
    database.exec(`INSERT INTO reservations (id, account_id, period_started_at, lapses_at, state)
      ${numbers} SELECT 'res_' || n, 'acct_1', 0, n, 'settled' FROM numbers`);
    database.exec(`INSERT INTO journal (account_id, period_started_at, kind, credits, at)
      ${numbers} SELECT 'acct_1', 0, 'grant', 1, 99999 - n FROM numbers`);
    database.close();
    const storage = await openSqliteStorage({ directory });
    for (let index = 0; index < 600; index += 1)
      await storage.batches.insert(sampleBatch(`batch_${999 - index}`), index === 7 ? CLAIM : undefined);
    await storage.close();

    const source = await openSqliteSource({ directory });
    const pages = await readAll(source);
    const recordsOf = (kind: TransferPage["kind"]): readonly unknown[] =>
      pages.filter((page) => page.kind === kind).flatMap((page) => page.records as readonly unknown[]);
    expect(pages.map(({ kind }) => kind).join(" ")).toBe(
      "accounts accounts accounts balances balances balances reservations reservations reservations " +
        "journal journal journal batches batches idempotencyKeys",
    );
    expect(recordsOf("accounts")).toHaveLength(12_345);
    expect(recordsOf("accounts").slice(0, 2)).toMatchObject([{ id: "acct_99999" }, { id: "acct_99998" }]);
    expect(new Set(recordsOf("balances").map((one) => JSON.stringify(one))).size).toBe(12_345);
    expect(new Set(recordsOf("reservations").map((one) => JSON.stringify(one))).size).toBe(12_345);
    expect(recordsOf("journal").map((one) => (one as { at: number }).at)).toEqual(
      Array.from({ length: 12_345 }, (_, n) => 99_999 - n),
    );
    expect(recordsOf("batches")).toEqual(
      Array.from({ length: 600 }, (_, index) => sampleBatch(`batch_${999 - index}`)),
    );
    expect(recordsOf("idempotencyKeys")).toEqual([{ accountId: "acct_1", batchId: "batch_992", ...CLAIM }]);
    expect(await source.totals()).toMatchObject({ accounts: 12_345, batches: 600, batchItems: 1200 });
    await source.close();
  });

  it("returns counts and sums of all records, and the last token id, even if that token is revoked", async () => {
    const directory = await createDataDirectory();
    const storage = await openSqliteStorage({ directory });
    const { ledger } = storage;
    for (const reservationId of ["a", "b", "c", "d", "e"])
      await ledger.reserve({
        ...balanceRequest,
        reservationId,
        now: 1,
        lapsesAt: reservationId === "d" ? 2 : 900,
      });
    for (const reservationId of ["a", "e"]) await ledger.settle({ reservationId, now: 1 });
    await ledger.reverse({ reservationId: "e", now: 1 });
    await ledger.refund({ reservationId: "b", now: 1 });
    await ledger.balance({ ...balanceRequest, now: 5 });
    await storage.batches.insert(sampleBatch("batch_1"), CLAIM);
    await storage.accounts.insert({
      id: "acct_1",
      email: "ada@example.com",
      emailVerifiedAt: null,
      planSlug: null,
      creditsPerPeriod: null,
      requestsPerMinute: null,
      createdAt: 1,
      suspendedAt: null,
      deletionStartedAt: null,
    });
    const token = {
      accountId: "acct_1",
      name: null,
      abilities: ["pdf"],
      createdAt: 1,
      expiresAt: null,
      rotatedAt: null,
    } as const;
    const secrets = { secretHash: "00".repeat(32), sealedSigningSecret: "00".repeat(60) };
    await storage.tokens.insert({ ...token, ...secrets });
    const { id } = await storage.tokens.insert({ ...token, ...secrets });
    await storage.tokens.revoke(id);
    await storage.close();
    const source = await openSqliteSource({ directory });
    expect(await source.totals()).toEqual({
      accounts: 1,
      tokens: 1,
      lastTokenId: 2,
      balances: 1,
      granted: 5,
      used: 1,
      reserved: 1,
      reservations: 5,
      openReservations: 1,
      journalLines: 11,
      journalGranted: 5,
      journalReserved: 5,
      journalSettled: 2,
      journalRefunded: 1,
      journalLapsed: 1,
      journalReversed: 1,
      batches: 1,
      batchItems: 2,
      unfinishedItems: 2,
      deliveries: 0,
      openDeliveries: 0,
      idempotencyKeys: 1,
      documents: 0,
      documentBytes: 0,
    });
    await source.close();
  });

  it("returns documents one by one, and discards those without a file", async () => {
    const directory = await createDataDirectory();
    const storage = await openSqliteStorage({ directory });
    const files = [
      { path: "logo.png", contentType: "image/png", bytes: new Uint8Array([0, 255]) },
      { path: "index.html", contentType: "text/html; charset=utf-8", bytes: new Uint8Array([1, 2, 3]) },
    ];
    const documents = ["0a", "0b", "0c"].map((text) => ({
      accountId: "acct_1",
      id: text.repeat(32),
      contentType: "application/zip",
      bytes: 5,
      files: 2,
      storedAt: 1,
      expiresAt: 9,
    }));
    for (const document of documents)
      await storage.documents.put({ document, files, quota: { documents: 9, bytes: 99 } });
    await storage.close();
    const [, second = ""] = (await readdir(join(directory, "snap.db-documents"))).toSorted();
    await rm(join(directory, "snap.db-documents", second));
    const source = await openSqliteSource({ directory });
    const pages = await readAll(source);
    expect(pages.map(({ kind, records }) => [kind, records])).toEqual([
      ["documents", [{ document: documents[0], files }]],
      ["documents", [{ document: documents[2], files }]],
    ]);
    expect(await source.totals()).toMatchObject({ documents: 2, documentBytes: 10 });
    await source.close();
    const again = await openSqliteSource({ directory });
    expect(again.fingerprint).toBe(source.fingerprint);
    await again.close();
    const database = await readFile(join(directory, "snap.db"), "latin1");
    expect(documents.map(({ id }) => database.includes(id))).toEqual([true, false, true]);
  });

  it("cannot be opened while another process has the file open, even if idle", async () => {
    const directory = await createDataDirectory();
    const idle = await openSqliteStorage({ directory });
    await idle.accounts.list();
    await expect(openSqliteSource({ directory })).rejects.toMatchObject({
      code: "folder_in_use",
      message: `${join(directory, "snap.db")} is in use; stop the server and all commands that use it`,
    });
    await idle.check();
    await idle.close();
    await (await openSqliteSource({ directory })).close();
  });

  it("locks the file until it is closed", async () => {
    const directory = await createDataDirectory();
    const source = await openSqliteSource({ directory });
    await expect(openSqliteStorage({ directory, busyTimeoutMs: 1 })).rejects.toThrow("database is locked");
    await expect(openSqliteSource({ directory })).rejects.toThrow("is in use");
    await source.close();
    const storage = await openSqliteStorage({ directory });
    await storage.check();
    await storage.close();
  });

  it("keeps its fingerprint until something is written", async () => {
    const directory = await createDataDirectory();
    const fingerprintOf = async (): Promise<string> => {
      const source = await openSqliteSource({ directory });
      await readAll(source);
      await source.close();
      return source.fingerprint;
    };
    const first = await fingerprintOf();
    expect(await fingerprintOf()).toBe(first);
    const storage = await openSqliteStorage({ directory });
    await storage.accounts.list();
    await storage.close();
    expect(await fingerprintOf()).toBe(first);
    const writing = await openSqliteStorage({ directory });
    await writing.ledger.balance({ ...balanceRequest, now: 1 });
    await writing.close();
    expect(await fingerprintOf()).not.toBe(first);
  });

  it("includes records that a killed process left in the log", async () => {
    const directory = await createDataDirectory();
    const worker = await startWorker("churn", { filename: join(directory, "snap.db"), name: "a" });
    release([worker]);
    for (let lines = 0; lines < 5; lines += 1) await worker.lines.next();
    worker.child.kill("SIGKILL");
    await once(worker.child, "exit");
    const source = await openSqliteSource({ directory });
    const { journalReserved, journalSettled } = await source.totals();
    expect(journalReserved).toBeGreaterThanOrEqual(5);
    expect(journalSettled).toBeGreaterThanOrEqual(2);
    await source.close();
    const again = await openSqliteSource({ directory });
    expect(again.fingerprint).toBe(source.fingerprint);
    await again.close();
  });

  it("requires an existing storage of this program", async () => {
    const directory = await createTemporaryDirectory();
    await expect(openSqliteSource({ directory })).rejects.toMatchObject({
      code: "database_missing",
      problem: `${directory} does not contain snap.db`,
    });
    await writeFile(join(directory, "snap.db"), "");
    await expect(openSqliteSource({ directory })).rejects.toMatchObject({ code: "database_missing" });
    new DatabaseSync(join(directory, "snap.db")).exec("CREATE TABLE theirs (id); PRAGMA user_version = 3");
    await expect(openSqliteSource({ directory })).rejects.toThrow("belongs to another program");
    const text = await createTemporaryDirectory();
    await writeFile(join(text, "snap.db"), "a text of more than a hundred bytes, ".repeat(10));
    await expect(openSqliteSource({ directory: text })).rejects.toThrow("file is not a database");
  });
});
