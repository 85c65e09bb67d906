import type { Eviction, Storage, StoredRendering } from "@snap/engine/ports";
import { readdir, rm, stat, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openSqliteStorage } from "../src/index.ts";
import { createTemporaryDirectory } from "./temporary.ts";

const NOW = 1_767_225_600_000;
const HOUR_MS = 3_600_000;
const NAME = { accountId: "acct_1", key: "0f1e" };
const LARGE_BYTES = 64 * 1024 * 1024;

function sample(change: Partial<StoredRendering> = {}): StoredRendering {
  return {
    bytes: new Uint8Array([1, 2, 3]),
    contentType: "image/png",
    targetStatus: 200,
    notes: [],
    etag: '"1"',
    storedAt: NOW,
    expiresAt: NOW + HOUR_MS,
    ...change,
  };
}

interface Opened {
  readonly storage: Storage;
  readonly directory: string;
  files(): Promise<string[]>;
}

async function openTemporaryStorage(
  options: { cacheMaxBytes?: number; onEvicted?: (eviction: Eviction) => void } = {},
): Promise<Opened> {
  const directory = await createTemporaryDirectory();
  const storage = await openSqliteStorage({ directory, ...options });
  onTestFinished(() => storage.close());
  const files = async (): Promise<string[]> =>
    (await readdir(join(directory, "snap.db-renderings"))).toSorted();
  return { storage, directory, files };
}

/** Returns whether the event loop runs before the work is done. */
async function yields(work: Promise<unknown>): Promise<boolean> {
  let hasYielded = false;
  setImmediate(() => {
    hasYielded = true;
  });
  await work;
  return hasYielded;
}

describe("the bytes of a rendering", () => {
  it("are a file that is accessible only to its owner, and is deleted with the rendering", async () => {
    const { storage, directory, files } = await openTemporaryStorage();
    const { renderings } = storage;
    await renderings.put({ ...NAME, rendering: sample() });
    const [first = ""] = await files();
    const folder = join(directory, "snap.db-renderings");
    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe("700");
    expect(((await stat(join(folder, first))).mode & 0o777).toString(8)).toBe("600");
    await renderings.put({ ...NAME, rendering: sample({ bytes: new Uint8Array([4]) }) });
    const [second] = await files();
    expect(second).not.toBe(first);
    await renderings.delete(NAME);
    expect(await files()).toEqual([]);
    await renderings.put({ ...NAME, rendering: sample({ expiresAt: NOW + 1 }) });
    expect(await renderings.prune({ now: NOW + 1, limit: 10 })).toBe(1);
    expect(await files()).toEqual([]);
  });

  it("are written and read without blocking if they are large, and keep the database small", async () => {
    const { storage, directory } = await openTemporaryStorage();
    const bytes = new Uint8Array(LARGE_BYTES).fill(7);
    expect(await yields(storage.renderings.put({ ...NAME, rendering: sample({ bytes }) }))).toBe(true);
    const reading = storage.renderings.get({ ...NAME, now: NOW });
    expect(await yields(reading)).toBe(true);
    expect(Buffer.from((await reading)?.bytes ?? []).equals(bytes)).toBe(true);
    for (const name of ["snap.db", "snap.db-wal"])
      expect((await stat(join(directory, name))).size).toBeLessThan(1_000_000);
  });

  it.each([
    ["is missing", (file: string) => rm(file)],
    ["is incomplete", (file: string) => truncate(file, 2)],
  ])("are a cache miss if the file %s", async (_, damage) => {
    const { storage, directory, files } = await openTemporaryStorage();
    await storage.renderings.put({ ...NAME, rendering: sample() });
    const [file = ""] = await files();
    await damage(join(directory, "snap.db-renderings", file));
    expect(await storage.renderings.get({ ...NAME, now: NOW })).toBeNull();
    expect(await storage.renderings.peek({ ...NAME, now: NOW })).toBeNull();
    expect((await storage.renderings.stats())?.bytes).toBe(0);
    await storage.renderings.put({ ...NAME, rendering: sample() });
    expect(await storage.renderings.get({ ...NAME, now: NOW })).toEqual(sample());
  });

  it("can be stored again after their directory is deleted", async () => {
    const { storage, directory } = await openTemporaryStorage();
    await storage.renderings.put({ ...NAME, rendering: sample() });
    await rm(join(directory, "snap.db-renderings"), { recursive: true });
    await storage.renderings.put({ ...NAME, rendering: sample() });
    expect(await storage.renderings.get({ ...NAME, now: NOW })).toEqual(sample());
  });

  it("are separate files even if two storages write them in the same millisecond", async () => {
    const { storage, directory, files } = await openTemporaryStorage();
    const other = await openSqliteStorage({ directory });
    onTestFinished(() => other.close());
    const stored = ["acct_1", "acct_2"].flatMap((accountId, account) =>
      Array.from({ length: 10 }, (_, index) => ({
        accountId,
        key: `${index}`,
        rendering: sample({ bytes: new Uint8Array([account, index]) }),
      })),
    );
    await Promise.all(
      stored.map((one) => (one.accountId === "acct_1" ? storage : other).renderings.put(one)),
    );
    expect(await files()).toHaveLength(20);
    for (const { accountId, key, rendering } of stored)
      expect(await other.renderings.get({ accountId, key, now: NOW })).toEqual(rendering);
  });
});

describe("the files that a killed process leaves behind", () => {
  it("are deleted if they are at least a minute old, first immediately and then every hour", async () => {
    const { storage, directory, files } = await openTemporaryStorage();
    await storage.renderings.put({ ...NAME, rendering: sample() });
    const [stored = ""] = await files();
    const leave = async (name: string, atMs: number): Promise<void> => {
      const file = join(directory, "snap.db-renderings", name);
      await writeFile(file, "partial");
      await utimes(file, atMs / 1000, atMs / 1000);
    };
    await leave(stored, NOW - HOUR_MS);
    await leave("1", NOW - 60_000);
    await leave("2", NOW - 59_999);
    await leave("not ours", NOW - HOUR_MS);
    await storage.renderings.prune({ now: NOW, limit: 0 });
    expect(await files()).toEqual([stored, "2", "not ours"].toSorted());
    await storage.renderings.prune({ now: NOW + HOUR_MS - 1, limit: 0 });
    expect(await files()).toContain("2");
    await storage.renderings.prune({ now: NOW + HOUR_MS, limit: 0 });
    expect(await files()).toEqual([stored, "not ours"].toSorted());
  });

  it("can be pruned before any rendering has created their folder", async () => {
    const { storage } = await openTemporaryStorage();
    expect(await storage.renderings.prune({ now: NOW, limit: 10 })).toBe(0);
  });
});

describe("the cache quota", () => {
  it("is by default half of the disk space that is free or used by the cache", async () => {
    const { storage } = await openTemporaryStorage();
    await storage.renderings.put({ ...NAME, rendering: sample() });
    const { bytes = 0, freeBytes, maxBytes } = (await storage.renderings.stats()) ?? {};
    expect(bytes).toBe(3 + 4096);
    expect(maxBytes).toBe(Math.floor((bytes + (freeBytes ?? 0)) / 2));
  });

  it("reports evictions by account", async () => {
    const onEvicted = vi.fn<(eviction: Eviction) => void>();
    const { storage, files } = await openTemporaryStorage({ cacheMaxBytes: 50_000, onEvicted });
    const put = (accountId: string, index: number, sizeBytes: number): Promise<void> =>
      storage.renderings.put({
        accountId,
        key: `${index}`,
        rendering: sample({ bytes: new Uint8Array(sizeBytes), storedAt: NOW + index }),
      });
    for (let index = 0; index < 5; index += 1) await put("acct_1", index, 5904);
    expect(onEvicted).not.toHaveBeenCalled();
    await put("acct_2", 5, 15_904);
    await put("acct_1", 6, 50_000);
    expect(onEvicted.mock.calls).toEqual([
      [{ reason: "quota", accountId: "acct_1", renderings: 2, bytes: 20_000 }],
      [{ reason: "quota", accountId: "acct_1", renderings: 1, bytes: 54_096 }],
    ]);
    expect(await files()).toHaveLength(4);
  });

  it("leaves no file of an evicted rendering if onEvicted throws", async () => {
    const onEvicted = (): never => {
      throw new Error("the metrics are gone");
    };
    const { storage, files } = await openTemporaryStorage({ cacheMaxBytes: 5000, onEvicted });
    const put = (key: string, storedAt: number): Promise<void> =>
      storage.renderings.put({ accountId: "acct_1", key, rendering: sample({ storedAt }) });
    await put("0", NOW);
    await expect(put("1", NOW + 1)).rejects.toThrow("the metrics are gone");
    expect(await storage.renderings.get({ accountId: "acct_1", key: "1", now: NOW })).not.toBeNull();
    expect(await files()).toHaveLength(1);
  });

  it("is enforced by pruning if another process lowers it", async () => {
    const { storage, directory, files } = await openTemporaryStorage();
    for (let index = 0; index < 60; index += 1)
      await storage.renderings.put({ accountId: "acct_1", key: `${index}`, rendering: sample() });
    const other = await openSqliteStorage({ directory, cacheMaxBytes: 10 * (3 + 4096) });
    onTestFinished(() => other.close());
    expect(await other.renderings.prune({ now: NOW, limit: 30 })).toBe(30);
    expect(await other.renderings.prune({ now: NOW, limit: 30 })).toBe(20);
    expect(await files()).toHaveLength(10);
  });
});
