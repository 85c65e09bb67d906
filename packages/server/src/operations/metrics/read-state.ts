import type { Engine } from "@snap/engine";
import type { BatchStats, CacheStats, RendererHealth, ServerClock } from "@snap/engine/ports";
import { statfs } from "node:fs/promises";
import { boundedRead } from "./bounded-read.ts";
import type { ServiceState } from "./service.ts";
import type { DiskSpace, StorageState } from "./storage.ts";

type Health = Awaited<ReturnType<Engine["health"]>>;

/** The part of the engine that the gauges are read from. */
export type ObservedEngine = Pick<
  Engine,
  "load" | "batches" | "cacheStats" | "clockSkews" | "health" | "servers" | "lastBackupAt"
>;

/** The folder whose disk is observed, and the space on it that renderings and documents leave free. */
export interface ObservedDisk {
  readonly directory: string;
  readonly reserveBytes: number;
}

/** The state of the service at one scrape. Whatever fails or takes too long is `null`, missing or `false`. */
export interface State extends ServiceState, StorageState {
  readonly batches: BatchStats | null;
  readonly renderer: RendererHealth | null;
}

/** Returns a function that reads the state within the time limit of a scrape. It never rejects. */
export function createStateReader(
  disk: ObservedDisk | null,
): (engine: ObservedEngine, checkHealth: () => Promise<Health>) => Promise<State> {
  const readHealth = boundedRead<Health>();
  const readBatches = boundedRead<BatchStats>();
  const readCache = boundedRead<CacheStats | null>();
  const readBackup = boundedRead<{ readonly at: number | null }>();
  const readDisk = boundedRead<DiskSpace | null>();
  const readServers = createServerReader();
  return async (engine, checkHealth) => {
    const [health, batches, cache, backup, space, servers] = await Promise.all([
      readHealth(checkHealth),
      readBatches(() => engine.batches.stats()),
      readCache(() => engine.cacheStats()),
      readBackup(async () => ({ at: await engine.lastBackupAt() })),
      readDisk(() => measure(disk)),
      readServers(engine.servers),
    ]);
    const checked: [string, boolean][] =
      health === null
        ? []
        : [
            ["storage", !health.reasons.some((reason) => reason.startsWith("storage: "))],
            ["browser", health.renderer?.ready ?? false],
          ];
    return {
      ready: health?.ready ?? false,
      dependencies: new Map([...checked, ...servers]),
      renderer: health?.renderer ?? null,
      batches,
      cache,
      lastBackupAt: backup?.at,
      disk: space,
      clockSkews: engine.clockSkews(),
    };
  };
}

/** Returns a function that finds out which servers are up: those whose clock can be read in time. */
function createServerReader(): (servers: readonly ServerClock[]) => Promise<(readonly [string, boolean])[]> {
  const reads = new Map<string, ReturnType<typeof boundedRead<number | null>>>();
  return (servers) =>
    Promise.all(
      servers.map(async (server) => {
        const read = reads.get(server.name) ?? boundedRead<number | null>();
        reads.set(server.name, read);
        return [server.name, (await read(() => server.now())) !== null] as const;
      }),
    );
}

async function measure(disk: ObservedDisk | null): Promise<DiskSpace | null> {
  if (disk === null) return null;
  const { bavail, bsize } = await statfs(disk.directory);
  return { freeBytes: bavail * bsize, reserveBytes: disk.reserveBytes };
}
