import type { CacheStats, Eviction } from "@snap/engine/ports";
import { statfsSync } from "node:fs";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { DatabaseSync } from "node:sqlite";
import { isDiskFull } from "../faults.ts";
import type { BodyFiles } from "./body-files.ts";
import { createEvictor, type Evicted, type EvictRequest } from "./evict.ts";

/** Deleting a large row of an older release blocks the event loop for about 10 ms, any other for 0.1 ms. */
export const DELETIONS_PER_TRANSACTION = 5;
const STORE_ATTEMPTS = 2;

export interface RoomOptions {
  /** Directory of the database and its files. */
  readonly directory: string;
  /** `null`: as much as the cache leaves free on the disk. */
  readonly cacheMaxBytes: number | null;
  /** Free space that renderings do not use. */
  readonly diskReserveBytes: number;
  readonly onEvicted: (eviction: Eviction) => void;
}

/** A rendering that is about to be stored. */
export interface Need {
  readonly accountId: string;
  /** What it counts against the quota. */
  readonly bytes: number;
}

/** The room for renderings: the quota, and the space on the disk. */
export interface Room {
  /**
   * Makes space on the disk for a rendering, stores it, and then keeps the quota. Returns `false` without storing it if it
   * exceeds the quota alone or the disk has no space for it.
   */
  store(need: Need, store: () => Promise<void>): Promise<boolean>;
  /** Evicts at most `limit` renderings for which there is no room any more; returns their number. */
  trim(limit: number): Promise<number>;
  stats(): CacheStats;
}

interface Measured {
  readonly bytes: number;
  readonly freeBytes: number;
  readonly quota: number;
  /** The most that may be cached so that the disk has space for what is pending, and keeps its reserve. */
  readonly space: number;
}

export function createRoom(
  database: DatabaseSync,
  { files, ...options }: RoomOptions & { readonly files: BodyFiles },
): Room {
  const { directory, cacheMaxBytes, diskReserveBytes, onEvicted } = options;
  const evictor = createEvictor(database);
  const pending = createPending();

  const measure = (): Measured => {
    const { bavail, bsize } = statfsSync(directory);
    const [bytes, freeBytes] = [evictor.cachedBytes(), bavail * bsize];
    return {
      bytes,
      freeBytes,
      quota: cacheMaxBytes ?? Math.floor((bytes + freeBytes) / 2),
      space: bytes + freeBytes - pending.sum() - diskReserveBytes,
    };
  };
  /** Evicts in several transactions; returns the number. */
  const evictAll = async (
    reason: Eviction["reason"],
    { maxBytes, limit, ...request }: EvictRequest,
  ): Promise<number> => {
    let count = 0;
    while (count < limit && evictor.cachedBytes() > maxBytes) {
      const some = Math.min(DELETIONS_PER_TRANSACTION, limit - count);
      const evicted = evictor.evict({ ...request, maxBytes, limit: some });
      if (evicted.length === 0) break;
      count += evicted.length;
      for (const eviction of summarize(evicted, reason)) onEvicted(eviction);
      await files.remove(evicted.map(({ id }) => id));
      await yieldToOthers();
    }
    return count;
  };
  /** Stores what is pending; returns `false` if the disk has no space for it. */
  const storePending = async (need: Need, store: () => Promise<void>): Promise<boolean> => {
    let maxBytes = measure().space;
    for (let attempt = 1; attempt <= STORE_ATTEMPTS; attempt += 1) {
      await evictAll("space", { maxBytes, limit: Infinity, pending: pending.byAccount });
      if (evictor.cachedBytes() > maxBytes) return false;
      try {
        await store();
        return true;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
      }
      // less space than the file system reports, such as a disk quota of the user
      maxBytes = evictor.cachedBytes() - need.bytes;
    }
    return false;
  };

  return {
    async store(need, store) {
      const { accountId, bytes } = need;
      const { quota } = measure();
      if (bytes > quota) {
        onEvicted({ reason: "quota", accountId, renderings: 1, bytes });
        return false;
      }
      pending.add(need);
      const isStored = await storePending(need, store).finally(() => pending.remove(need));
      if (isStored) await evictAll("quota", { maxBytes: quota, limit: Infinity });
      else onEvicted({ reason: "space", accountId, renderings: 1, bytes });
      return isStored;
    },
    async trim(limit) {
      const { quota, space } = measure();
      const count = await evictAll("space", { maxBytes: space, limit });
      return count + (await evictAll("quota", { maxBytes: quota, limit: limit - count }));
    },
    stats() {
      const { bytes, freeBytes, quota } = measure();
      const warnings = freeBytes < diskReserveBytes ? [lowDisk(freeBytes, diskReserveBytes)] : [];
      return { bytes, maxBytes: quota, freeBytes, warnings };
    },
  };
}

/** What renderings count that are being stored: the disk must have space for all of them. */
interface Pending {
  readonly byAccount: ReadonlyMap<string, number>;
  sum(): number;
  add(need: Need): void;
  remove(need: Need): void;
}

function createPending(): Pending {
  const byAccount = new Map<string, number>();
  const add = ({ accountId, bytes }: Need): void => {
    const sum = (byAccount.get(accountId) ?? 0) + bytes;
    if (sum === 0) byAccount.delete(accountId);
    else byAccount.set(accountId, sum);
  };
  return {
    byAccount,
    sum: () => Array.from(byAccount.values()).reduce((sum, one) => sum + one, 0),
    add,
    remove: ({ accountId, bytes }) => add({ accountId, bytes: -bytes }),
  };
}

/** One eviction per account. */
function summarize(evicted: readonly Evicted[], reason: Eviction["reason"]): Eviction[] {
  const byAccount = Map.groupBy(evicted, ({ accountId }) => accountId);
  return Array.from(byAccount, ([accountId, rows]) => ({
    reason,
    accountId,
    renderings: rows.length,
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
}

function lowDisk(freeBytes: number, reserveBytes: number): CacheStats["warnings"][number] {
  return {
    message: `the disk has ${freeBytes} bytes free, less than its reserve of ${reserveBytes}, so nothing is cached`,
    advice: "free disk space, or lower the reserve",
  };
}
