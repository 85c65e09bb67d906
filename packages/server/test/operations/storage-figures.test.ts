import type { BatchStats, CacheStats } from "@snap/engine/ports";
import { expect, it } from "vitest";
import { createStorageFigures } from "../../src/operations/storage-figures.ts";

const BATCHES: BatchStats = {
  queuedItems: 3,
  renderingItems: 2,
  oldestUnfinishedAgeMs: 1,
  openDeliveries: 1,
};
const CACHE: CacheStats = { bytes: 5, maxBytes: null, freeBytes: null, warnings: [] };

function engineWith(
  stats: () => Promise<BatchStats>,
  cacheStats: () => Promise<CacheStats | null> = () => Promise.resolve(CACHE),
): Parameters<ReturnType<typeof createStorageFigures>>[0] {
  return { batches: { stats }, cacheStats, lastBackupAt: () => Promise.resolve(7) } as Parameters<
    ReturnType<typeof createStorageFigures>
  >[0];
}

it("reads the figures of the storage", async () => {
  const read = createStorageFigures();
  expect(await read(engineWith(() => Promise.resolve(BATCHES)))).toEqual({
    batches: BATCHES,
    cache: CACHE,
    lastBackupAt: 7,
  });
});

it("leaves out what fails", async () => {
  const read = createStorageFigures();
  const engine = engineWith(() => Promise.reject(new Error("gone")));
  expect(await read(engine)).toEqual({ batches: null, cache: CACHE, lastBackupAt: 7 });
});

it("leaves out what never answers, asks for it once, and reads it again afterwards", async () => {
  const read = createStorageFigures();
  const held = Promise.withResolvers<BatchStats>();
  let asked = 0;
  const hanging = engineWith(() => {
    asked += 1;
    return held.promise;
  });
  expect(await read(hanging)).toEqual({ batches: null, cache: CACHE, lastBackupAt: 7 });
  expect(await read(hanging)).toEqual({ batches: null, cache: CACHE, lastBackupAt: 7 });
  expect(asked).toBe(1);
  held.resolve(BATCHES);
  expect(await read(hanging)).toEqual({ batches: BATCHES, cache: CACHE, lastBackupAt: 7 });
  const later = { ...BATCHES, queuedItems: 0 };
  expect(await read(engineWith(() => Promise.resolve(later)))).toEqual({
    batches: later,
    cache: CACHE,
    lastBackupAt: 7,
  });
});
