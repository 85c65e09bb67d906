import type { Storage } from "@snap/engine/ports";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  findService,
  openSqliteRestore,
  openSqliteSnapshot,
  openSqliteSource,
  openSqliteStorage,
} from "../src/index.ts";
import type { SqliteSnapshot } from "../src/index.ts";
import { sampleEntry } from "../../testing/src/suites/history-samples.ts";
import { createTemporaryDirectory } from "./temporary.ts";
import { expectConsistent, release, startWorker } from "./worker-process.ts";

const RESTORE = fileURLToPath(new URL("restore-process.ts", import.meta.url));

const RENDERING = {
  bytes: new Uint8Array([1, 2, 3]),
  contentType: "image/png",
  targetStatus: 200,
  notes: [],
  etag: '"1"',
  storedAt: 1,
  expiresAt: 1000,
} as const;

async function openSnapshot(directory: string, includesRenderings = true): Promise<SqliteSnapshot> {
  const workDirectory = await createTemporaryDirectory();
  const beforeMigration = (): never => expect.fail("nothing to migrate");
  const snapshot = await openSqliteSnapshot({
    directory,
    workDirectory,
    includesRenderings,
    now: 5,
    beforeMigration,
  });
  onTestFinished(() => snapshot.close());
  return snapshot;
}

/** A document whose only file is the byte 7. */
const DOCUMENT = {
  document: {
    id: "0f".repeat(32),
    contentType: "text/html",
    bytes: 1,
    files: 1,
    storedAt: 1,
    expiresAt: 1000,
  },
  files: [{ path: "index.html", contentType: "text/html; charset=utf-8", bytes: new Uint8Array([7]) }],
  quota: { documents: 1, bytes: 1 },
} as const;

async function addDocument({ documents }: Storage, name: string): Promise<void> {
  const { document, ...rest } = DOCUMENT;
  await documents.put({ ...rest, document: { ...document, accountId: `acct_${name}` } });
}

async function addAccount({ accounts, renderings }: Storage, name: string): Promise<void> {
  await accounts.insert({
    id: `acct_${name}`,
    email: `${name}@example.com`,
    emailVerifiedAt: 1,
    planSlug: null,
    creditsPerPeriod: null,
    requestsPerMinute: null,
    createdAt: 1,
    suspendedAt: null,
    deletionStartedAt: null,
  });
  await renderings.put({ accountId: `acct_${name}`, key: "0", rendering: RENDERING });
}

async function bytesIn(snapshot: SqliteSnapshot): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const { bytes } of snapshot.renderings()) all.push(bytes);
  return all;
}

async function accountsIn(directory: string): Promise<string> {
  const storage = await openSqliteStorage({ directory });
  const names = (await storage.accounts.list()).map(({ id }) => id);
  await storage.close();
  return names.join(" ");
}

describe("a snapshot", () => {
  it("is consistent while other processes write", async () => {
    const directory = await createTemporaryDirectory();
    const filename = join(directory, "snap.db");
    const workers = await Promise.all([
      startWorker("churn", { filename, name: "a" }),
      startWorker("churn", { filename, name: "b" }),
      startWorker("submitAndProcess", { filename, name: "c" }),
    ]);
    release(workers);
    const used: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (const { lines } of workers) await lines.next();
      const snapshot = await openSnapshot(directory);
      for await (const { bytes } of snapshot.renderings()) expect(bytes).toHaveLength(20_000);
      snapshot.close();
      expectConsistent(snapshot.filename);
      used.push(countSettled(snapshot.filename));
      expect((await stat(snapshot.filename)).mode & 0o777).toBe(0o600);
    }
    expect(used).toEqual(used.toSorted((a, b) => a - b));
    for (const { child } of workers) child.kill("SIGKILL");
  });

  it("contains the cached renderings except those deleted since, or none if they are left out", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    await addAccount(storage, "ada");
    await addAccount(storage, "bob");
    const snapshot = await openSnapshot(directory);
    expect(snapshot.renderingCount).toBe(2);
    await storage.renderings.delete({ accountId: "acct_bob", key: "0" });
    expect(await bytesIn(snapshot)).toEqual([new Uint8Array([1, 2, 3])]);
    const small = await openSnapshot(directory, false);
    expect([small.renderingCount, await bytesIn(small)]).toEqual([0, []]);
    small.close();
    expectConsistent(small.filename);
    await storage.close();
  });

  it("contains no trace of the renderings or sign-ins that it leaves out", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    for (let key = 0; key < 200; key += 1) {
      const page = { title: `A secret title, ${key}`, finalUrl: "https://secret.example/", pages: null };
      await storage.renderings.put({
        accountId: "acct_ada",
        key: `${key}`,
        rendering: { ...RENDERING, page },
      });
      const hash = `a-secret-hash-${key}`;
      await storage.signIns.insert({ kind: "session", hash, expiresAt: 1000 });
    }
    const tracesIn = async ({ filename }: SqliteSnapshot): Promise<readonly string[]> => {
      const text = await readFile(filename, "latin1");
      return ["A secret title", "secret.example", "a-secret-hash"].filter((trace) => text.includes(trace));
    };
    expect(await tracesIn(await openSnapshot(directory))).toEqual(["A secret title", "secret.example"]);
    expect(await tracesIn(await openSnapshot(directory, false))).toEqual([]);
    await storage.close();
  });

  it("contains the history but no sign-ins, so that a restore does not revive them", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    const session = { kind: "session", hash: "0f".repeat(32) } as const;
    await storage.signIns.insert({ ...session, expiresAt: 1000 });
    await storage.history.append({ entries: [sampleEntry()], totals: [] });
    const snapshot = await openSnapshot(directory);
    snapshot.close();
    expect(await storage.signIns.find({ ...session, now: 1 })).toBe(1000);
    await storage.close();
    const copy = await openSqliteStorage({ filename: snapshot.filename });
    expect(await copy.signIns.find({ ...session, now: 1 })).toBeNull();
    expect((await copy.history.page({ limit: 10 })).entries).toEqual([sampleEntry()]);
    await copy.close();
  });

  it("contains the documents except those deleted since, even without the renderings", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    await addDocument(storage, "ada");
    await addDocument(storage, "bob");
    const snapshot = await openSnapshot(directory, false);
    await storage.documents.delete({ accountId: "acct_bob", id: DOCUMENT.document.id, now: 1 });
    const found: unknown[] = [];
    for await (const { bytes } of snapshot.documents()) found.push(bytes);
    expect(found).toEqual([new Uint8Array([7])]);
    await storage.close();
  });

  it("cannot be taken of a missing or empty database", async () => {
    const directory = await createTemporaryDirectory();
    await expect(openSnapshot(directory)).rejects.toThrow(`${directory} does not contain snap.db`);
    await writeFile(join(directory, "snap.db"), "");
    await expect(openSnapshot(directory)).rejects.toThrow(`${directory} does not contain snap.db`);
    expect((await stat(join(directory, "snap.db"))).size).toBe(0);
  });

  it("is recorded as the last backup only by recordBackup, in the storage and in the copy", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    const snapshot = await openSnapshot(directory);
    expect(await storage.lastBackupAt()).toBeNull();
    snapshot.recordBackup();
    expect(await storage.lastBackupAt()).toBe(5);
    const copy = new DatabaseSync(snapshot.filename);
    expect(copy.prepare("SELECT made_at FROM backups").all()).toMatchObject([{ made_at: 5 }]);
    copy.close();
    await storage.close();
  });
});

function countSettled(filename: string): number {
  const database = new DatabaseSync(filename);
  const row = database.prepare("SELECT count(*) AS count FROM journal WHERE kind = 'settle'").get();
  database.close();
  return Number(row?.["count"]);
}

describe("a restore", () => {
  /** A backup with the account `new`, and a folder with the account `old`, as a killed service would leave it. */
  async function prepare(): Promise<{ readonly backup: string; readonly left: string }> {
    const [backup, served] = [await createTemporaryDirectory(), await createTemporaryDirectory()];
    const backupStorage = await openSqliteStorage({ directory: backup });
    await addAccount(backupStorage, "new");
    await addDocument(backupStorage, "new");
    await backupStorage.close();
    const storage = await openSqliteStorage({ directory: served });
    await addAccount(storage, "old");
    const left = join(await createTemporaryDirectory(), "left");
    await cp(served, left, { recursive: true });
    await storage.close();
    expect(await readdir(left)).toContain("snap.db-wal");
    return { backup, left };
  }

  async function restore(directory: string, backup: string, killAt: number): Promise<unknown> {
    const child = spawn(process.execPath, [RESTORE, directory, backup, String(killAt)], { stdio: "inherit" });
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    return code ?? signal;
  }

  async function describePreviousStorage(directory: string): Promise<string> {
    const name = (await readdir(directory)).find((one) => one.startsWith("before-restore-")) ?? "";
    const renderings = await readdir(join(directory, name, "snap.db-renderings"));
    return `${await accountsIn(join(directory, name))} with ${renderings.length} rendering`;
  }

  it("leaves the old storage or the new one if it is killed at any step, and loses neither", async () => {
    const { backup, left } = await prepare();
    const parent = await createTemporaryDirectory();
    const found: string[] = [];
    for (let killAt = 1; ; killAt += 1) {
      const directory = join(parent, String(killAt));
      await cp(left, directory, { recursive: true });
      const outcome = await restore(directory, backup, killAt);
      const accounts = await accountsIn(directory);
      found.push(
        accounts === "acct_new" ? `acct_new, aside ${await describePreviousStorage(directory)}` : accounts,
      );
      if (outcome === 0) break;
      expect(outcome).toBe("SIGKILL");
      if (accounts === "acct_old") continue;
      // the next restore removes what the killed one left behind
      expect(await restore(directory, backup, 0)).toBe(0);
      expect((await readdir(directory)).filter((name) => name.startsWith(".restore-"))).toEqual([]);
    }
    expect(found).toEqual([...found].toSorted().toReversed());
    expect(new Set(found)).toEqual(new Set(["acct_old", "acct_new, aside acct_old with 1 rendering"]));
  }, 180_000);

  it("brings back the cached renderings and the documents", async () => {
    const { backup } = await prepare();
    const directory = await createTemporaryDirectory();
    expect(await restore(directory, backup, 0)).toBe(0);
    const storage = await openSqliteStorage({ directory });
    const request = { accountId: "acct_new", key: "0", now: 2 };
    expect(await storage.renderings.get(request)).toMatchObject({ bytes: new Uint8Array([1, 2, 3]) });
    const file = { accountId: "acct_new", id: DOCUMENT.document.id, path: "index.html", now: 2 };
    expect(await storage.documents.readFile(file)).toEqual(DOCUMENT.files[0]);
    await storage.close();
  });

  it("replaces a damaged document with the backup's, and moves the damaged one aside", async () => {
    const { backup } = await prepare();
    const directory = await createTemporaryDirectory();
    await cp(backup, directory, { recursive: true });
    const [name = ""] = await readdir(join(directory, "snap.db-documents"));
    await writeFile(join(directory, "snap.db-documents", name), "");
    expect(await restore(directory, backup, 0)).toBe(0);
    const storage = await openSqliteStorage({ directory });
    const file = { accountId: "acct_new", id: DOCUMENT.document.id, path: "index.html", now: 2 };
    expect(await storage.documents.readFile(file)).toEqual(DOCUMENT.files[0]);
    await storage.close();
    const previousFolder = (await readdir(directory)).find((one) => one.startsWith("before-restore-")) ?? "";
    expect(await readFile(join(directory, previousFolder, "snap.db-documents", name), "utf8")).toBe("");
  });

  it("leaves no folder behind if the previous storage cannot be moved aside", async () => {
    const { backup, left } = await prepare();
    await rm(join(left, "snap.db-shm"), { force: true });
    await mkdir(join(left, "snap.db-shm"));
    await writeFile(join(left, "snap.db"), "not a database ".repeat(500));
    const running = openSqliteRestore({ directory: left, replaces: true });
    await cp(join(backup, "snap.db"), running.filename);
    // a folder cannot be hard-linked
    expect(() => running.commit(1)).toThrow("operation not permitted");
    running.close();
    expect((await readdir(left)).filter((name) => name.startsWith("before-restore-"))).toEqual([]);
  });

  // only root can give files to another owner
  const isRoot = process.getuid?.() === 0;
  it.runIf(isRoot)("gives all files to the folder's owner, including the earlier renderings", async () => {
    const { backup, left } = await prepare();
    const files = async (): Promise<string[]> =>
      (await readdir(left, { recursive: true, withFileTypes: true })).map(({ parentPath, name }) =>
        join(parentPath, name),
      );
    for (const path of [left, ...(await files())]) await chown(path, 65_534, 65_534);
    expect(await restore(left, backup, 0)).toBe(0);
    const owners = await Promise.all((await files()).map(async (path) => (await stat(path)).uid));
    expect(new Set(owners)).toEqual(new Set([65_534]));
  });

  it("moves a corrupt database aside", async () => {
    const { backup, left } = await prepare();
    const corrupt = "not a database ".repeat(500);
    for (const name of ["snap.db", "snap.db-wal"]) await writeFile(join(left, name), corrupt);
    expect(await restore(left, backup, 0)).toBe(0);
    expect(await accountsIn(left)).toBe("acct_new");
    const previousFolder = (await readdir(left)).find((name) => name.startsWith("before-restore-")) ?? "";
    expect(await readFile(join(left, previousFolder, "snap.db"), "utf8")).toBe(corrupt);
    expect(await readdir(left)).not.toContain("snap.db-wal");
  });

  it("replaces a database only with `replaces`, and only if nothing uses the folder", async () => {
    const directory = await createTemporaryDirectory();
    await (await openSqliteStorage({ directory })).close();
    expect(() => openSqliteRestore({ directory, replaces: false })).toThrow("already contains a database");
    const command = await openSqliteStorage({ directory });
    expect(() => openSqliteRestore({ directory, replaces: true })).toThrow("in use by another command");
    await command.close();
    const running = openSqliteRestore({ directory, replaces: true });
    const message = `in use by a restore, process ${process.pid} on ${hostname()}; wait until it has exited`;
    for (const isService of [false, true])
      await expect(openSqliteStorage({ directory, isService, busyTimeoutMs: 0 })).rejects.toThrow(message);
    running.close();
    await (await openSqliteStorage({ directory })).close();
  });
});

describe("a folder whose database lacks a table", () => {
  it.each<[string, (directory: string) => Promise<unknown>]>([
    ["openSqliteStorage", (directory) => openSqliteStorage({ directory })],
    ["openSqliteSource", (directory) => openSqliteSource({ directory })],
  ])("is not left locked by %s", async (_, open) => {
    const directory = await createTemporaryDirectory();
    await (await openSqliteStorage({ directory })).close();
    const database = new DatabaseSync(join(directory, "snap.db"));
    database.exec("DROP TABLE document_files; DROP TABLE documents");
    database.close();
    await expect(open(directory)).rejects.toThrow("no such table: documents");
    openSqliteRestore({ directory, replaces: true }).close();
  });
});

describe("the service that uses a folder", () => {
  it("excludes other services but not commands, and is identified by its process id and host", async () => {
    const directory = await createTemporaryDirectory();
    const filename = join(directory, "snap.db");
    const service = await openSqliteStorage({ directory, isService: true });
    const command = await openSqliteStorage({ directory });
    await expect(openSqliteStorage({ directory, isService: true, busyTimeoutMs: 0 })).rejects.toMatchObject({
      code: "folder_in_use",
      problem: `${directory} is in use by the service, process ${process.pid} on ${hostname()}`,
      advice: "stop that process first; a data folder has one service at a time",
    });
    expect(findService(filename)).toMatchObject({ pid: process.pid, host: hostname() });
    await rm(`${filename}.holder`);
    expect(findService(filename)).toBe("unknown");
    await service.close();
    expect(findService(filename)).toBeNull();
    await (await openSqliteStorage({ directory, isService: true })).close();
    await command.close();
  });
});
