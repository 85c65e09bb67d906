import type { ClockSkew } from "@snap/engine";
import type { CacheStats, Eviction } from "@snap/engine/ports";
import type { Registry } from "prom-client";
import { counter, gauge, registerAll, setOrRemove } from "./define.ts";

/** Names of PostgreSQL and Redis in metrics. */
export const SERVERS = { PostgreSQL: "PostgreSQL", Redis: "Redis" } as const;

export const STORAGE_METRICS = {
  cacheBytes: gauge({
    name: "snap_cache_bytes",
    help: "Bytes of cached renderings, as they count against the quota.",
  }),
  cacheMaxBytes: gauge({ name: "snap_cache_max_bytes", help: "Quota of the cached renderings." }),
  cacheFreeBytes: gauge({
    name: "snap_cache_free_bytes",
    help: "Free space on the disk, or in Redis, where renderings are cached; absent if Redis has no `maxmemory`.",
  }),
  evictions: counter({
    name: "snap_cache_evictions_total",
    help: "Renderings evicted before they expired.",
    labels: {
      reason: { quota: "the cache is full", space: "the disk, or Redis's memory, is nearly full" },
    },
  }),
  diskFreeBytes: gauge({
    name: "snap_disk_free_bytes",
    help: "Free space on the disk that holds the data folder; absent with PostgreSQL.",
  }),
  diskReserveBytes: gauge({
    name: "snap_disk_reserve_bytes",
    help: "Free space that renderings and documents leave on the disk that holds the data folder (`SNAP_DISK_RESERVE_BYTES`); absent with PostgreSQL.",
  }),
  backupAge: gauge({
    name: "snap_backup_age_seconds",
    help: "Age of the last backup of the data folder; absent before the first, and with PostgreSQL.",
  }),
  clockSkew: gauge({
    name: "snap_clock_skew_seconds",
    help: "Seconds that this machine's clock is ahead of PostgreSQL's or Redis's; negative if it is behind.",
    labels: { server: SERVERS },
  }),
  connectionWaits: counter({
    name: "snap_postgresql_connection_waits_total",
    help: "Statements and transactions that had to wait because all connections to PostgreSQL were in use.",
  }),
};

/** The disk of a data folder. */
export interface DiskSpace {
  readonly freeBytes: number;
  readonly reserveBytes: number;
}

export interface StorageState {
  readonly cache: CacheStats | null;
  readonly disk: DiskSpace | null;
  /** `null` if there is none; `undefined` if it cannot be read. */
  readonly lastBackupAt: number | null | undefined;
  readonly clockSkews: readonly ClockSkew[];
}

export interface StorageMetrics {
  readonly countEviction: (eviction: Eviction) => void;
  readonly countConnectionWait: () => void;
  readonly setState: (state: StorageState) => void;
}

export function createStorageMetrics(registry: Registry): StorageMetrics {
  const {
    cacheBytes,
    cacheMaxBytes,
    cacheFreeBytes,
    evictions,
    diskFreeBytes,
    diskReserveBytes,
    backupAge,
    clockSkew,
    connectionWaits,
  } = registerAll(STORAGE_METRICS, registry);
  return {
    countEviction: ({ reason, renderings }) => evictions.inc({ reason }, renderings),
    countConnectionWait: () => connectionWaits.inc(),
    setState({ cache, disk, lastBackupAt, clockSkews }) {
      setOrRemove(cacheBytes, cache?.bytes);
      setOrRemove(cacheMaxBytes, cache?.maxBytes);
      setOrRemove(cacheFreeBytes, cache?.freeBytes);
      setOrRemove(diskFreeBytes, disk?.freeBytes);
      setOrRemove(diskReserveBytes, disk?.reserveBytes);
      setOrRemove(backupAge, lastBackupAt && (Date.now() - lastBackupAt) / 1000);
      clockSkew.reset();
      for (const { server, skewMs } of clockSkews) clockSkew.set({ server }, skewMs / 1000);
    },
  };
}
