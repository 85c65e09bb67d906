import { once } from "node:events";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { sampleBatch } from "./sample-batch.ts";
import { createTemporaryDirectory } from "./temporary.ts";
import { expectConsistent, release, startWorker, type Worker } from "./worker-process.ts";

const ITEM_COUNT = 20;
const KILL_ROUNDS = 5;
/** After the leases that workers acquire at instant 1 have expired. */
const LEASES_ENDED_AT = 1001;

/** Creates a file with batches of 20 due items each. */
async function createBatches(batchCount: number): Promise<string> {
  const filename = join(await createTemporaryDirectory(), "snap.db");
  const storage = await openSqliteStorage({ filename });
  for (let index = 0; index < batchCount; index += 1)
    await storage.batches.insert(sampleBatch(`batch_${index}`, { itemCount: ITEM_COUNT }));
  await storage.close();
  return filename;
}

/** Returns all lines that a worker prints until it exits; kills it after `killAfterLines`. */
async function linesOf({ child, lines }: Worker, killAfterLines = Infinity): Promise<string[]> {
  const printed: string[] = [];
  for (;;) {
    const { value, done } = await lines.next();
    if (done) break;
    printed.push(value);
    if (printed.length === killAfterLines) child.kill("SIGKILL");
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return printed;
}

/** Returns the items on the lines that start with `word`. */
function itemsAfter(word: string, printed: readonly string[]): string[] {
  return printed.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
}

/** Each check is one statement, so it sees a consistent snapshot. */
function expectBatchesAgree(filename: string): void {
  const database = new DatabaseSync(filename, { timeout: 5_000 });
  const count = database
    .prepare(
      `SELECT (SELECT count(*) FROM batch_items WHERE status = 'done') AS done,
         (SELECT count(*) FROM journal WHERE kind = 'settle') AS settled, (SELECT coalesce(sum(used), 0) FROM balances) AS used`,
    )
    .get();
  expect(count).toEqual({ done: count?.["settled"], settled: count?.["settled"], used: count?.["settled"] });
  const wrong = database
    .prepare(
      `SELECT batches.id FROM batches LEFT JOIN deliveries ON deliveries.batch = sequence
       WHERE (finished_at IS NULL) <> (deliveries.batch IS NULL) OR (finished_at IS NULL) <> EXISTS (
         SELECT 1 FROM batch_items WHERE batch_items.batch = sequence AND status <> 'done')`,
    )
    .all();
  expect(wrong).toEqual([]);
  database.close();
}

/** Asserts that all batches are finished, and returns the number of their items. */
function countFinishedItems(filename: string): number {
  const database = new DatabaseSync(filename, { timeout: 5_000 });
  const unfinished = database.prepare("SELECT id FROM batches WHERE finished_at IS NULL").all();
  expect(unfinished).toEqual([]);
  const row = database.prepare("SELECT count(*) AS items FROM batch_items WHERE status = 'done'").get();
  database.close();
  return Number(row?.["items"]);
}

describe("several workers", () => {
  it("claim each item of a batch exactly once", async () => {
    const filename = await createBatches(1);
    const workers = await Promise.all(
      ["a", "b"].map((name) => startWorker("processBatches", { filename, name })),
    );
    release(workers);
    const printed = (await Promise.all(workers.map((worker) => linesOf(worker)))).flat();
    const all = Array.from({ length: ITEM_COUNT }, (_, index) => `batch_0/item_${index}`);
    expect(itemsAfter("claimed", printed).toSorted()).toEqual(all.toSorted());
    expect(itemsAfter("done", printed).toSorted()).toEqual(all.toSorted());
    expect(printed.filter((line) => line === "idle")).toHaveLength(2);
    expectConsistent(filename);
    expectBatchesAgree(filename);
  });

  it("lose no item and no credit when one is killed", async () => {
    for (let round = 0; round < KILL_ROUNDS; round += 1) {
      const filename = await createBatches(4);
      const [killed, other] = await Promise.all([
        startWorker("submitAndProcess", { filename, name: "a" }),
        startWorker("processBatches", { filename, name: "b" }),
      ]);
      release([killed, other]);
      const otherLines = linesOf(other);
      await linesOf(killed, 1 + Math.floor(Math.random() * 30));
      expect(killed.child.signalCode).toBe("SIGKILL");
      expectBatchesAgree(filename);
      expect((await otherLines).at(-1)).toBe("idle");

      const laterWorker = await startWorker("processBatches", { filename, name: "c", now: LEASES_ENDED_AT });
      release([laterWorker]);
      expect((await linesOf(laterWorker)).at(-1)).toBe("idle");
      expectBatchesAgree(filename);
      expectConsistent(filename);

      const itemCount = countFinishedItems(filename);
      const storage = await openSqliteStorage({ filename });
      const period = { startedAt: 0, resetsAt: 2_000_000 };
      const request = { accountId: "acct_1", period, granted: 1_000_000, now: 1_999_999 };
      expect(await storage.ledger.balance(request)).toEqual({
        granted: 1_000_000,
        used: itemCount,
        reserved: 0,
      });
      await storage.close();
    }
  });
});
