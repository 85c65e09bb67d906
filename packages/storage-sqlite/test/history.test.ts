import type { HistoryEntry, HistoryFilter, HistoryStore, Storage } from "@snap/engine/ports";
import { createMemoryStorage } from "@snap/testing";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { failedEntry, historyId, sampleEntry } from "../../testing/src/suites/history-samples.ts";
import { createTemporaryDirectory } from "./temporary.ts";

const STARTED_AT = 1_767_225_600_000;

async function open(): Promise<{ storage: Storage; filename: string }> {
  const filename = join(await createTemporaryDirectory(), "snap.db");
  const storage = await openSqliteStorage({ filename });
  onTestFinished(() => storage.close());
  return { storage, filename };
}

/** Returns a generator of pseudo-random numbers below 1, the same in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Each letter identifies an account. Repeated letters get more entries. */
const LETTERS = "aaaaaabbbccdefg";

/** Returns entries at intervals of 10 ms. Their text contains the account id. */
function entriesFrom(start: number, count: number): HistoryEntry[] {
  const random = numbers(start + 1);
  const randomBelow = (limit: number): number => Math.floor(random() * limit);
  return Array.from({ length: count }, (_, index) => {
    const at = STARTED_AT + (start + index) * 10;
    const tokenId = randomBelow(LETTERS.length);
    const accountId = `acct_${LETTERS[tokenId] ?? ""}0123456789`;
    const host = `${accountId.replace("_", "-")}-${randomBelow(30)}.example`;
    const parameters = { url: `https://${host}/${"path/".repeat(randomBelow(8))}` };
    const texts = { requestId: `${accountId}-${start + index}`, host, parameters };
    const common = { id: historyId(at, index), at, accountId, tokenId, ...texts };
    const cache = (["hit", "miss", "bypass"] as const)[randomBelow(3)] ?? "hit";
    return randomBelow(10) === 0 ? failedEntry(common) : sampleEntry({ ...common, cache });
  });
}

async function fill(history: Pick<HistoryStore, "append">, { from = 0, to = 12_000 } = {}): Promise<void> {
  for (let start = from; start < to; start += 500)
    await history.append({ entries: entriesFrom(start, 500), totals: [] });
}

describe("the history", () => {
  it("returns the same pages as the model, across slices and with late entries", async () => {
    const { storage, filename } = await open();
    const model = createMemoryStorage().history;
    const late = entriesFrom(12_000, 50).map((entry, index) => {
      const at = STARTED_AT - 1000 + index * 2000 + 5;
      return Object.assign({}, entry, { id: historyId(at), at });
    });
    for (const history of [storage.history, model]) {
      await fill(history);
      await history.append({ entries: late, totals: [] });
    }
    const database = new DatabaseSync(filename);
    onTestFinished(() => database.close());
    expect(database.prepare("SELECT entries FROM history_slices ORDER BY start").all()).toMatchObject([
      { entries: 4500 },
      { entries: 4500 },
      { entries: 3004 },
    ]);
    const random = numbers(7);
    const all = (await model.page({ limit: 20_000 })).entries;
    for (let round = 0; round < 70; round += 1) {
      const one = all[Math.floor(random() * all.length)] ?? sampleEntry();
      const other = all[Math.floor(random() * all.length)] ?? sampleEntry();
      const { accountId, tokenId, host, requestId, code, cache } = one;
      const filters: readonly HistoryFilter[] = [
        { accountId },
        { tokenId },
        { host: host ?? "" },
        { requestId: requestId ?? "" },
        { accountId, isFailure: true },
        { ...(code !== null && { code }), ...(cache !== null && { cache }) },
        { tokenId, since: Math.min(one.at, other.at), until: Math.max(one.at, other.at) },
      ];
      const filter = filters[round % filters.length];
      const request = { limit: 1 + Math.floor(random() * 80), ...(random() < 0.7 && { after: other.id }) };
      const page = await storage.history.page({ ...request, ...filter });
      const expected = await model.page({ ...request, ...filter });
      expect({ request, filter, page }).toEqual({ request, filter, page: expected });
    }
  });

  it("changes fewer pages of the database than it appends entries", async () => {
    const { storage, filename } = await open();
    await fill(storage.history);
    const database = new DatabaseSync(filename);
    onTestFinished(() => database.close());
    const checkpoint = database.prepare("PRAGMA wal_checkpoint");
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    await fill(storage.history, { from: 12_000, to: 12_500 });
    // 500 entries could change 500 pages of an index on random values
    expect(Number(checkpoint.get()?.["log"])).toBeLessThan(400);
  });

  it("leaves no trace of a deleted account in the file", async () => {
    const { storage, filename } = await open();
    const { accounts, history } = storage;
    for (const letter of "abcdef")
      await accounts.insert({
        id: `acct_${letter}0123456789`,
        email: `${letter}@example.com`,
        emailVerifiedAt: null,
        planSlug: null,
        creditsPerPeriod: null,
        requestsPerMinute: null,
        createdAt: 1,
        suspendedAt: null,
        deletionStartedAt: null,
      });
    const countTraces = async (letter: string): Promise<number> =>
      (await readFile(filename, "latin1")).split(new RegExp(`acct.${letter}0123456789`)).length - 1;
    for (let start = 0; start < 12_000; start += 3000) {
      await fill(history, { from: start, to: start + 3000 });
      const request = { before: STARTED_AT + start * 10, beforeDay: "2026-01-01", limit: 50 };
      for (let round = 0; round < 30; round += 1) await history.prune(request);
    }
    // each deletion could move rows of the accounts that are deleted later
    for (const letter of "abcde") {
      const id = `acct_${letter}0123456789`;
      await accounts.startDeletion({ id, now: 1 });
      expect(await history.deleteAccount({ accountId: id })).toBeGreaterThan(100);
      await accounts.delete({ id, now: 1 });
      expect([letter, await countTraces(letter)]).toEqual([letter, 0]);
    }
    expect(await countTraces("f")).toBeGreaterThan(100);
    for (const letter of "abcde") expect([letter, await countTraces(letter)]).toEqual([letter, 0]);
  });

  it("stores new entries after an account that fills a whole slice is deleted", async () => {
    const { history } = (await open()).storage;
    const entriesOf = (accountId: string, start: number): HistoryEntry[] =>
      entriesFrom(start, 4096).map((entry) => Object.assign({}, entry, { accountId }));
    await history.append({ entries: entriesOf("acct_1", 0), totals: [] });
    await history.append({ entries: entriesOf("acct_2", 4096), totals: [] });
    expect(await history.deleteAccount({ accountId: "acct_2" })).toBe(4096);
    const [latest] = entriesOf("acct_3", 8192);
    await history.append({ entries: latest === undefined ? [] : [latest], totals: [] });
    expect((await history.page({ accountId: "acct_3", limit: 10 })).entries).toEqual([latest]);
  });

  it("frees the space of pruned entries", async () => {
    const { storage, filename } = await open();
    await fill(storage.history, { to: 3000 });
    const before = STARTED_AT + 29_990;
    while ((await storage.history.prune({ before, beforeDay: "2026-01-01", limit: 50 })) > 0);
    for (let round = 0; round < 20; round += 1)
      await storage.history.prune({ before, beforeDay: "2026-01-01", limit: 50 });
    const database = new DatabaseSync(filename);
    onTestFinished(() => database.close());
    const countOf = (table: string): unknown =>
      database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.["count"];
    expect([countOf("history"), countOf("history_slices")]).toEqual([1, 1]);
    // the remaining entry, and 200 overwritten text rows before it
    expect(countOf("history_texts")).toBe(201);
  });
});
