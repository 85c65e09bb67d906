import type { BatchRecord } from "@snap/engine/ports";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { createTemporaryDirectory } from "./temporary.ts";

const SYNCED = ["PRAGMA synchronous = FULL", "BEGIN IMMEDIATE", "COMMIT", "PRAGMA synchronous = NORMAL"];
const UNSYNCED = ["BEGIN IMMEDIATE", "COMMIT"];

describe("a batch", () => {
  it("is synced to disk only when it is accepted and when it finishes", async () => {
    const storage = await openSqliteStorage({ directory: await createTemporaryDirectory() });
    const exec = vi.spyOn(DatabaseSync.prototype, "exec");
    onTestFinished(() => exec.mockRestore());
    const executedBy = async (work: Promise<unknown>): Promise<string[]> => {
      await work;
      const statements = exec.mock.calls.map(([sql]) => sql);
      exec.mockClear();
      return statements;
    };
    const change = (update: (batch: BatchRecord) => BatchRecord | null): Promise<unknown> =>
      storage.batches.change({ batchId: "batch_1", now: 1, change: update });

    expect(await executedBy(storage.batches.insert(sampleBatch("batch_1")))).toEqual(SYNCED);
    expect(await executedBy(change((batch) => batch))).toEqual(UNSYNCED);
    expect(await executedBy(change(() => null))).toEqual(UNSYNCED);
    const finish = (batch: BatchRecord): BatchRecord => ({ ...batch, finishedAt: 1, prunesAt: 2 });
    expect(await executedBy(change(finish))).toEqual([...UNSYNCED, ...SYNCED]);
    expect(await executedBy(change((batch) => batch))).toEqual(UNSYNCED);
    await storage.close();
  });
});

describe("a document", () => {
  it("is stored durably: its folder is synced to disk, and the parent when the folder is new", async () => {
    const directory = await createTemporaryDirectory();
    const storage = await openSqliteStorage({ directory });
    onTestFinished(() => storage.close());
    const syncedPaths: string[] = [];
    const { fsyncSync } = fs;
    const spy = vi.spyOn(fs, "fsyncSync").mockImplementation((file) => {
      syncedPaths.push(fs.readlinkSync(`/proc/self/fd/${file}`));
      fsyncSync(file);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      spy.mockRestore();
      syncBuiltinESMExports();
    });
    const files = [{ path: "index.html", contentType: "text/html", bytes: new Uint8Array([1]) }];
    const common = { accountId: "acct_1", contentType: "text/html", bytes: 1, files: 1 };
    const put = (id: string): Promise<unknown> =>
      storage.documents.put({
        document: { ...common, id, storedAt: 1, expiresAt: 9 },
        files,
        quota: { documents: 9, bytes: 9 },
      });
    const folder = join(directory, "snap.db-documents");
    await put("0a");
    expect(syncedPaths).toEqual([directory, folder]);
    await put("0b");
    expect(syncedPaths).toEqual([directory, folder, folder]);
  });
});
