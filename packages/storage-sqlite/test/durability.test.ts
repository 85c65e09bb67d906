import type { BatchRecord } from "@snap/engine/ports";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { temporaryDirectory } from "./temporary.ts";

const SYNCED = ["PRAGMA synchronous = FULL", "BEGIN IMMEDIATE", "COMMIT", "PRAGMA synchronous = NORMAL"];
const UNSYNCED = ["BEGIN IMMEDIATE", "COMMIT"];

describe("a batch", () => {
  it("is synced to the disk only when it is accepted and when it finishes", async () => {
    const storage = await openSqliteStorage({ directory: await temporaryDirectory() });
    const exec = vi.spyOn(DatabaseSync.prototype, "exec");
    onTestFinished(() => exec.mockRestore());
    const executedBy = async (work: Promise<unknown>): Promise<string[]> => {
      await work;
      const executed = exec.mock.calls.map(([sql]) => sql);
      exec.mockClear();
      return executed;
    };
    const change = (make: (batch: BatchRecord) => BatchRecord | null): Promise<unknown> =>
      storage.batches.change({ batchId: "batch_1", now: 1, change: make });

    expect(await executedBy(storage.batches.insert(sampleBatch("batch_1")))).toEqual(SYNCED);
    expect(await executedBy(change((batch) => batch))).toEqual(UNSYNCED);
    expect(await executedBy(change(() => null))).toEqual(UNSYNCED);
    const finish = (batch: BatchRecord): BatchRecord => ({ ...batch, finishedAt: 1, prunesAt: 2 });
    expect(await executedBy(change(finish))).toEqual([...UNSYNCED, ...SYNCED]);
    expect(await executedBy(change((batch) => batch))).toEqual(UNSYNCED);
    await storage.close();
  });
});
