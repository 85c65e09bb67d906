import type { Eviction, Storage } from "@snap/engine/ports";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { mountSmallDisk } from "../../testing/test/servers/small-disk.ts";
import { openSqliteStorage } from "../src/index.ts";
import { sampleEntry } from "../../testing/src/suites/history-samples.ts";
import { expectConsistent } from "./worker-process.ts";

const MEBIBYTE = 1024 * 1024;
const DISK_RESERVE_BYTES = 4 * MEBIBYTE;
const period = { startedAt: 0, resetsAt: 1_000_000 };

async function openOn(
  directory: string,
  onEvicted: (eviction: Eviction) => void = () => {},
): Promise<Storage> {
  const storage = await openSqliteStorage({
    directory,
    // the disk is the only limit
    cacheMaxBytes: 1024 * MEBIBYTE,
    diskReserveBytes: DISK_RESERVE_BYTES,
    onEvicted,
  });
  onTestFinished(() => storage.close());
  return storage;
}

/** Stores renderings of a mebibyte with the keys `0`, `1` and so on, one per millisecond. */
async function putMany({ renderings }: Storage, accountId: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await renderings.put({
      accountId,
      key: `${index}`,
      rendering: {
        bytes: new Uint8Array(MEBIBYTE).fill(index),
        contentType: "image/png",
        targetStatus: 200,
        notes: [],
        etag: `"${index}"`,
        storedAt: 1000 + index,
        expiresAt: 1_000_000,
      },
    });
}

async function countOf({ renderings }: Storage, accountId: string): Promise<number> {
  let count = 0;
  for (let index = 0; index < 100; index += 1)
    if ((await renderings.get({ accountId, key: `${index}`, now: 1 })) !== null) count += 1;
  return count;
}

/** Reserves and settles a thousand credits. */
async function settleMany({ ledger }: Storage, name: string): Promise<void> {
  for (let index = 0; index < 1000; index += 1) {
    const reservationId = `${name}-${index}`;
    const request = { accountId: "acct_1", period, granted: 100_000, now: 1, lapsesAt: 1000, reservationId };
    expect((await ledger.reserve(request)).reserved).toBe(true);
    expect(await ledger.settle({ reservationId, now: 2 })).toBe("settled");
  }
}

describe("a storage on a full disk", { tags: ["mount"] }, () => {
  it("evicts from the account above its share and keeps the reserve, if renderings fill the disk", async () => {
    const { directory } = await mountSmallDisk({ mebibytes: 64 });
    const onEvicted = vi.fn<(eviction: Eviction) => void>();
    const storage = await openOn(directory, onEvicted);
    await storage.check();
    await putMany(storage, "quiet", 5);
    await putMany(storage, "greedy", 100);
    expect(await countOf(storage, "quiet")).toBe(5);
    expect(await countOf(storage, "greedy")).toBeGreaterThan(20);
    expect(await storage.renderings.peek({ accountId: "greedy", key: "99", now: 1 })).not.toBeNull();
    expect((await storage.renderings.stats())?.freeBytes).toBeGreaterThanOrEqual(DISK_RESERVE_BYTES);
    expect(new Set(onEvicted.mock.calls.map(([{ reason, accountId }]) => `${reason} ${accountId}`))).toEqual(
      new Set(["space greedy"]),
    );
    await settleMany(storage, "a");
    expectConsistent(join(directory, "snap.db"));
  });

  it("caches nothing but charges for renders while another program fills the disk; caching then resumes", async () => {
    const disk = await mountSmallDisk({ mebibytes: 64 });
    const storage = await openOn(disk.directory);
    await storage.check();
    await putMany(storage, "acct_1", 3);
    disk.fill();
    await settleMany(storage, "a");
    await storage.check();
    await putMany(storage, "acct_2", 3);
    expect(await countOf(storage, "acct_2")).toBe(0);
    expect((await storage.renderings.stats())?.warnings).toEqual([
      {
        code: "disk_low",
        message: expect.stringMatching(
          /^the disk has \d+ bytes free, less than the reserve of 4194304, so renderings are evicted or not cached, and documents can be rejected$/,
        ),
        advice: "free disk space, or lower the reserve, SNAP_DISK_RESERVE_BYTES",
      },
    ]);
    // evicts what is left, and the other program also takes that space
    await storage.renderings.prune({ now: 2, limit: 100 });
    expect(await countOf(storage, "acct_1")).toBe(0);
    disk.fill();
    await settleMany(storage, "b");
    await storage.check();

    await disk.clear();
    await putMany(storage, "acct_2", 3);
    expect(await countOf(storage, "acct_2")).toBe(3);
    expect((await storage.renderings.stats())?.warnings).toEqual([]);
    expect(
      (await storage.ledger.balance({ accountId: "acct_1", period, granted: 100_000, now: 3 })).used,
    ).toBe(2000);
    expectConsistent(join(disk.directory, "snap.db"));
  });

  it("evicts renderings to store a document, and rejects a document that would use the reserve", async () => {
    const { directory } = await mountSmallDisk({ mebibytes: 64 });
    const storage = await openOn(directory);
    await storage.check();
    await putMany(storage, "acct_1", 100);
    const before = await countOf(storage, "acct_1");
    const put = (id: string, bytes: number): Promise<unknown> =>
      storage.documents.put({
        document: {
          accountId: "acct_2",
          id,
          contentType: "text/html",
          bytes,
          files: 1,
          storedAt: 1,
          expiresAt: 1_000_000,
        },
        files: [{ path: "index.html", contentType: "text/html", bytes: new Uint8Array(bytes) }],
        quota: { documents: 10, bytes: 1024 * MEBIBYTE },
      });
    await put("a", 10 * MEBIBYTE);
    const left = await countOf(storage, "acct_1");
    expect(left).toBeLessThanOrEqual(before - 10);
    expect(left).toBeGreaterThan(10);
    await expect(put("b", 60 * MEBIBYTE)).rejects.toThrow(
      "the disk has no space for a document; free disk space, or lower the reserve, SNAP_DISK_RESERVE_BYTES",
    );
    expect(await countOf(storage, "acct_1")).toBe(left);
    expect((await storage.renderings.stats())?.freeBytes).toBeGreaterThanOrEqual(DISK_RESERVE_BYTES);
    expect(await readdir(join(directory, "snap.db-documents"))).toHaveLength(1);
    await settleMany(storage, "a");
    expectConsistent(join(directory, "snap.db"));
  });

  it("records no history in the reserve, and resumes when there is space", async () => {
    const disk = await mountSmallDisk({ mebibytes: 64 });
    const storage = await openOn(disk.directory);
    await storage.check();
    const append = (at: number): Promise<void> =>
      storage.history.append({ entries: [sampleEntry({ at })], totals: [] });
    await append(1);
    disk.fill();
    await expect(append(2)).rejects.toThrow("the disk has no space for the history; free disk space");
    await settleMany(storage, "a");
    await disk.clear();
    await append(3);
    const { entries } = await storage.history.page({ limit: 10 });
    expect(entries.map(({ at }) => at)).toEqual([3, 1]);
    expectConsistent(join(disk.directory, "snap.db"));
  });

  it("stores each rendering completely or skips it, without an error, even if the reserve is 0", async () => {
    const disk = await mountSmallDisk({ mebibytes: 64 });
    // as far as the cache knows, it can fill the disk
    const storage = await openSqliteStorage({
      directory: disk.directory,
      cacheMaxBytes: 1024 * MEBIBYTE,
      diskReserveBytes: 0,
    });
    onTestFinished(() => storage.close());
    await storage.check();
    await Promise.all([putMany(storage, "acct_1", 100), putMany(storage, "acct_2", 100)]);
    await settleMany(storage, "a");
    const stored = (await countOf(storage, "acct_1")) + (await countOf(storage, "acct_2"));
    expect(stored).toBeGreaterThan(20);
    expect(await readdir(join(disk.directory, "snap.db-renderings"))).toHaveLength(stored);
  });
});
