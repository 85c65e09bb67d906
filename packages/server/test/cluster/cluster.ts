import { createEngine, type Engine } from "@snap/engine";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openRedisCache } from "@snap/storage-redis";
import { createFakeRenderer } from "@snap/testing";
import { findFreePort } from "../../../testing/test/servers/free-port.ts";
import { startPostgres, type PostgresServer } from "../../../testing/test/servers/postgres.ts";
import { startRedis, type RedisServer } from "../../../testing/test/servers/redis.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ClusterNodeOptions } from "./node.ts";

const NODE_SCRIPT = fileURLToPath(new URL("node.ts", import.meta.url));

/** A process of the cluster; after a restart it listens on the same port. */
export interface ClusterNode {
  readonly origin: string;
  start(): Promise<void>;
  /** Sends SIGKILL, and waits until the process has ended. */
  kill(): Promise<void>;
}

export interface Cluster {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly apis: readonly ClusterNode[];
  readonly workers: readonly ClusterNode[];
  /** An engine outside the processes, for administration and audits. */
  readonly engine: Engine;
  readonly storage: Awaited<ReturnType<typeof openPostgresStorage>>;
  close(): Promise<void>;
}

export async function startCluster(counts: {
  readonly apis: number;
  readonly workers: number;
}): Promise<Cluster> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  const urls = { databaseUrl: postgres.url(), redisUrl: redis.url };
  const storage = await openPostgresStorage({
    url: urls.databaseUrl,
    cache: await openRedisCache({ url: urls.redisUrl }),
  });
  const engine = createEngine({
    storage,
    renderer: createFakeRenderer(),
    secretKey: "a key for this test",
  });
  const startNodes = (count: number, role: ClusterNodeOptions["role"]): Promise<ClusterNode[]> =>
    Promise.all(
      Array.from({ length: count }, async () => startNode({ ...urls, role, port: await findFreePort() })),
    );
  const apis = await startNodes(counts.apis, "api");
  const workers = await startNodes(counts.workers, "worker");
  return {
    postgres,
    redis,
    apis,
    workers,
    engine,
    storage,
    async close() {
      await Promise.all([...apis, ...workers].map((node) => node.kill()));
      await engine.close();
      await Promise.all([postgres.remove(), redis.stop()]);
    },
  };
}

async function startNode(options: ClusterNodeOptions): Promise<ClusterNode> {
  let child: ChildProcess | null = null;
  const kill = async (): Promise<void> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  };
  const start = async (): Promise<void> => {
    const started = spawn(process.execPath, [NODE_SCRIPT, JSON.stringify(options)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    child = started;
    await Promise.race([
      once(started.stdout, "data"),
      once(started, "exit").then(([code]) => {
        throw new Error(`a process of the cluster ended with ${String(code)}`);
      }),
    ]);
  };
  process.once("exit", () => child?.kill("SIGKILL"));
  await start();
  return { origin: `http://127.0.0.1:${options.port}`, start, kill };
}
