import type { Engine } from "@snap/engine";
import type { BatchStats, CacheStats } from "@snap/engine/ports";

/** A scrape must be answered within a second, even while PostgreSQL or Redis hangs. */
const LIMIT_MS = 700;

/** What the storage reports; `null` if it fails, hangs, or does not know. */
export interface StorageFigures {
  readonly batches: BatchStats | null;
  readonly cache: CacheStats | null;
  readonly lastBackupAt: number | null;
}

/** Returns a function that reads these figures within the time of a scrape. It never rejects. */
export function createStorageFigures(): (
  engine: Pick<Engine, "batches" | "cacheStats" | "lastBackupAt">,
) => Promise<StorageFigures> {
  const readBatches = boundedRead<BatchStats>();
  const readCache = boundedRead<CacheStats | null>();
  const readBackup = boundedRead<number | null>();
  return async (engine) => {
    const [batches, cache, lastBackupAt] = await Promise.all([
      readBatches(() => engine.batches.stats()),
      readCache(() => engine.cacheStats()),
      readBackup(() => engine.lastBackupAt()),
    ]);
    return { batches, cache, lastBackupAt };
  };
}

/** A read that still runs is joined, so that the scrapes of a storage that hangs do not take all of its connections. */
function boundedRead<T>(): (read: () => Promise<T>) => Promise<T | null> {
  let running: Promise<T | null> | null = null;
  return async (read) => {
    running ??= read()
      .catch(() => null)
      .finally(() => {
        running = null;
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), LIMIT_MS);
    });
    return Promise.race([running, late]).finally(() => clearTimeout(timer));
  };
}
