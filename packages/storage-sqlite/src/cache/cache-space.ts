import type { CacheStats, CacheWarning, Eviction } from "@snap/engine/ports";
import { statfsSync } from "node:fs";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import type { DatabaseSync } from "node:sqlite";
import { isDiskFull } from "../faults.ts";
import type { BodyFiles } from "../body-files.ts";
import { createEvictor, type EvictedRow, type EvictRequest } from "./evict.ts";

/** Deleting a large row from an older release blocks the event loop for about 10 ms; any other row, for 0.1 ms. */
export const DELETIONS_PER_TRANSACTION = 5;
const STORE_ATTEMPTS = 2;

export interface CacheSpaceOptions {
  /** Directory of the database. */
  readonly directory: string;
  /** `null` for half of the sum of the cache's size and the free disk space. */
  readonly cacheMaxBytes: number | null;
  /** Free space that renderings and documents must leave. */
  readonly diskReserveBytes: number;
  readonly onEvicted: (eviction: Eviction) => void;
}

/** A rendering that is about to be stored. */
export interface PendingRendering {
  readonly accountId: string;
  /** Bytes that count against the quota. */
  readonly bytes: number;
}

/** The space for renderings, within the quota and the free disk space. */
export interface CacheSpace {
  /**
   * Makes space on the disk for a rendering, stores it, and then evicts down to the quota. Returns `false` without
   * storing it if it is larger than the quota or the disk has no space for it.
   */
  store(rendering: PendingRendering, store: () => Promise<void>): Promise<boolean>;
  /** Makes space on the disk for a document; returns `false` if evictions cannot free enough. */
  makeSpaceFor(bytes: number): Promise<boolean>;
  /** Evicts at most `limit` renderings that no longer fit; returns how many were evicted. */
  trim(limit: number): Promise<number>;
  stats(): CacheStats;
}

interface SpaceMeasurements {
  readonly bytes: number;
  readonly freeBytes: number;
  readonly quotaBytes: number;
  /** Largest size of the cache that leaves space on the disk for the pending renderings and the reserve. */
  readonly diskMaxBytes: number;
}

export function createCacheSpace(
  database: DatabaseSync,
  { files, ...options }: CacheSpaceOptions & { readonly files: BodyFiles },
): CacheSpace {
  const { diskReserveBytes, onEvicted } = options;
  const evictor = createEvictor(database);
  const pending = createPendingSizes();

  const measure = (): SpaceMeasurements =>
    measureSpace(options, { bytes: evictor.cachedBytes(), pendingBytes: pending.sum() });
  /** Evicts in several transactions; returns how many were evicted. */
  const evictDownTo = async (
    reason: Eviction["reason"],
    { maxBytes, limit, ...request }: EvictRequest,
  ): Promise<number> => {
    let count = 0;
    while (count < limit && evictor.cachedBytes() > maxBytes) {
      const evicted = evictor.evict({
        ...request,
        maxBytes,
        limit: Math.min(DELETIONS_PER_TRANSACTION, limit - count),
      });
      if (evicted.length === 0) break;
      count += evicted.length;
      await files.remove(evicted.map(({ id }) => id));
      for (const eviction of summarize(evicted, reason)) onEvicted(eviction);
      await yieldToOthers();
    }
    return count;
  };
  /** Returns `false` if the disk has no space for the rendering. */
  const makeSpaceAndStore = async (
    { bytes }: PendingRendering,
    store: () => Promise<void>,
  ): Promise<boolean> => {
    let maxBytes = measure().diskMaxBytes;
    for (let attempt = 1; attempt <= STORE_ATTEMPTS; attempt += 1) {
      await evictDownTo("space", { maxBytes, limit: Infinity, pending: pending.byAccount });
      if (evictor.cachedBytes() > maxBytes) return false;
      try {
        await store();
        return true;
      } catch (error) {
        if (!isDiskFull(error)) throw error;
      }
      // the disk is full though statfs reported space, for example because of the user's disk quota
      maxBytes = evictor.cachedBytes() - bytes;
    }
    return false;
  };

  return {
    async store(rendering, store) {
      const { quotaBytes } = measure();
      if (rendering.bytes > quotaBytes) {
        onEvicted(evictionOf(rendering, "quota"));
        return false;
      }
      pending.add(rendering);
      const isStored = await makeSpaceAndStore(rendering, store).finally(() => pending.remove(rendering));
      if (isStored) await evictDownTo("quota", { maxBytes: quotaBytes, limit: Infinity });
      else onEvicted(evictionOf(rendering, "space"));
      return isStored;
    },
    async makeSpaceFor(bytes) {
      const maxBytes = measure().diskMaxBytes - bytes;
      // evictions would not free enough space
      if (maxBytes < 0) return false;
      await evictDownTo("space", { maxBytes, limit: Infinity });
      return evictor.cachedBytes() <= maxBytes;
    },
    async trim(limit) {
      const { quotaBytes, diskMaxBytes } = measure();
      const count = await evictDownTo("space", { maxBytes: diskMaxBytes, limit });
      return count + (await evictDownTo("quota", { maxBytes: quotaBytes, limit: limit - count }));
    },
    stats() {
      const { bytes, freeBytes, quotaBytes } = measure();
      const warnings = freeBytes < diskReserveBytes ? [lowDiskWarning(freeBytes, diskReserveBytes)] : [];
      return { bytes, maxBytes: quotaBytes, freeBytes, warnings };
    },
  };
}

function measureSpace(
  { directory, cacheMaxBytes, diskReserveBytes }: CacheSpaceOptions,
  { bytes, pendingBytes }: { readonly bytes: number; readonly pendingBytes: number },
): SpaceMeasurements {
  const { bavail, bsize } = statfsSync(directory);
  const freeBytes = bavail * bsize;
  return {
    bytes,
    freeBytes,
    quotaBytes: cacheMaxBytes ?? Math.floor((bytes + freeBytes) / 2),
    diskMaxBytes: bytes + freeBytes - pendingBytes - diskReserveBytes,
  };
}

/** The size of the renderings being stored: the disk must have space for all of them. */
interface PendingSizes {
  readonly byAccount: ReadonlyMap<string, number>;
  sum(): number;
  add(rendering: PendingRendering): void;
  remove(rendering: PendingRendering): void;
}

function createPendingSizes(): PendingSizes {
  const byAccount = new Map<string, number>();
  const add = ({ accountId, bytes }: PendingRendering): void => {
    const sum = (byAccount.get(accountId) ?? 0) + bytes;
    if (sum === 0) byAccount.delete(accountId);
    else byAccount.set(accountId, sum);
  };
  return {
    byAccount,
    sum: () => Array.from(byAccount.values()).reduce((sum, bytes) => sum + bytes, 0),
    add,
    remove: ({ accountId, bytes }) => add({ accountId, bytes: -bytes }),
  };
}

/** A rendering that does not fit counts as evicted immediately (`RenderingStore`). */
function evictionOf({ accountId, bytes }: PendingRendering, reason: Eviction["reason"]): Eviction {
  return { reason, accountId, renderings: 1, bytes };
}

/** One eviction per account. */
function summarize(evicted: readonly EvictedRow[], reason: Eviction["reason"]): Eviction[] {
  const byAccount = Map.groupBy(evicted, ({ accountId }) => accountId);
  return Array.from(byAccount, ([accountId, rows]) => ({
    reason,
    accountId,
    renderings: rows.length,
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
  }));
}

function lowDiskWarning(freeBytes: number, reserveBytes: number): CacheWarning {
  return {
    code: "disk_low",
    message: `the disk has ${freeBytes} bytes free, less than the reserve of ${reserveBytes}, so renderings are evicted or not cached, and documents can be rejected`,
    advice: "free disk space, or lower the reserve, SNAP_DISK_RESERVE_BYTES",
  };
}
