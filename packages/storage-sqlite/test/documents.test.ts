import type { PutDocument, Storage } from "@snap/engine/ports";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rename, rm, stat, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteSource, openSqliteStorage } from "../src/index.ts";
import { createTemporaryDirectory } from "./temporary.ts";

const WORKER = fileURLToPath(new URL("document-process.ts", import.meta.url));
const NOW = 1_767_225_600_000;
const ID = "0f".repeat(32);
const KEY = { accountId: "acct_1", id: ID, now: NOW };

function sample(bytes: number): PutDocument {
  return {
    document: {
      accountId: "acct_1",
      id: ID,
      contentType: "text/html",
      bytes,
      files: 1,
      storedAt: NOW,
      expiresAt: NOW + 1000,
    },
    files: [{ path: "index.html", contentType: "text/html", bytes: new Uint8Array(bytes).fill(7) }],
    quota: { documents: 10, bytes: 100_000_000 },
  };
}

async function open(directory: string): Promise<Storage> {
  const storage = await openSqliteStorage({ directory });
  onTestFinished(() => storage.close());
  return storage;
}

async function filesIn(directory: string): Promise<string[]> {
  return readdir(join(directory, "snap.db-documents")).catch(() => []);
}

describe("a document", () => {
  it("is stored outside the database, in one private file that is deleted with it", async () => {
    const directory = await createTemporaryDirectory();
    const { documents } = await open(directory);
    await documents.put(sample(20_000_000));
    const [name = ""] = await filesIn(directory);
    const folder = join(directory, "snap.db-documents");
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe("700");
    expect(((await stat(join(folder, name))).mode & 0o777).toString(8)).toBe("600");
    for (const file of ["snap.db", "snap.db-wal"])
      expect((await stat(join(directory, file))).size).toBeLessThan(1_000_000);
    // stored again, it needs no second file
    await documents.put(sample(20_000_000));
    expect(await filesIn(directory)).toEqual([name]);
    expect(await documents.delete(KEY)).toBe(true);
    expect(await filesIn(directory)).toEqual([]);
  });

  it("does not exist without its file, and can be stored again", async () => {
    const directory = await createTemporaryDirectory();
    const { documents } = await open(directory);
    for (const read of [
      () => documents.find(KEY),
      () => documents.readFile({ ...KEY, path: "index.html" }),
    ]) {
      await documents.put(sample(3));
      await rm(join(directory, "snap.db-documents"), { recursive: true });
      expect(await read()).toBeNull();
    }
    await documents.put(sample(3));
    expect((await documents.readFile({ ...KEY, path: "index.html" }))?.bytes).toHaveLength(3);
  });

  it("is not deleted while its file cannot be reached", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await open(directory);
    await storage.documents.put(sample(3));
    const folder = join(directory, "snap.db-documents");
    const hidden = join(directory, "hidden");
    await rename(folder, hidden);
    await symlink(folder, folder);
    await expect(storage.documents.find(KEY)).rejects.toMatchObject({ code: "ELOOP" });
    await storage.close();
    await expect(openSqliteSource({ directory })).rejects.toMatchObject({ code: "ELOOP" });
    await rm(folder);
    await rename(hidden, folder);
    const { documents } = await open(directory);
    expect(await documents.find(KEY)).toEqual(sample(3).document);
  });

  it("leaves no file if it is rejected", async () => {
    const directory = await createTemporaryDirectory();
    const { documents } = await open(directory);
    const quota = { documents: 10, bytes: 5 };
    expect(await documents.put({ ...sample(6), quota })).toEqual({
      stored: false,
      exceeded: "bytes",
      used: { documents: 0, bytes: 0 },
    });
    expect(await filesIn(directory)).toEqual([]);
  });
});

describe("a killed process", () => {
  /** Starts a process that stores documents one by one, and prints the number of each stored one. */
  const startWorker = async (directory: string, bytes: number) => {
    const child = spawn(process.execPath, [WORKER, directory, String(bytes)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  };
  const idOf = (number: number): string => number.toString(16).padStart(64, "0");

  it("loses no stored document; the file of an incomplete one is deleted later", async () => {
    const directory = await createTemporaryDirectory();
    const bytes = 3_000_000;
    for (const stored of [1, 3]) {
      const { child, lines } = await startWorker(directory, bytes);
      let last = -1;
      for (let count = 0; count < stored; count += 1) last = Number((await lines.next()).value);
      // it is now writing the next one
      child.kill("SIGKILL");
      await once(child, "exit");
      for (let line = await lines.next(); line.done !== true; line = await lines.next())
        last = Number(line.value);

      const { documents } = await openSqliteStorage({ directory });
      for (let number = 0; number <= last; number += 1) {
        const file = await documents.readFile({ ...KEY, id: idOf(number), path: "index.html" });
        expect(file?.bytes).toHaveLength(bytes);
      }
      // the next one may be complete; the one after it was never started
      const next = await documents.readFile({ ...KEY, id: idOf(last + 1), path: "index.html" });
      expect([undefined, bytes]).toContain(next?.bytes.byteLength);
      expect(await documents.find({ ...KEY, id: idOf(last + 2) })).toBeNull();
      const complete = last + 1 + (next === null ? 0 : 1);
      const folder = join(directory, "snap.db-documents");
      // without a row, a file older than a minute belongs to a killed process
      for (const name of await filesIn(directory)) await utimes(join(folder, name), 0, 0);
      await documents.prune({ now: NOW, limit: 0 });
      expect(await filesIn(directory)).toHaveLength(complete);
      await documents.deleteAccount({ accountId: "acct_1", now: NOW });
      expect(await filesIn(directory)).toEqual([]);
    }
  });
});
