import { createEngine, parseTargetList } from "@snap/engine";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openRedisCache } from "@snap/storage-redis";
import { createFakeRenderer, createFakeResolver } from "@snap/testing";
import { setTimeout as wait } from "node:timers/promises";
import { serveEngine } from "../http/serve-engine.ts";

/*
 * One process of a cluster, for tests that kill it: real storage (PostgreSQL and Redis) and a slow
 * fake renderer. Leases are short, so tests do not wait long for those of a killed process to
 * expire.
 */
const { databaseUrl, redisUrl, port, role } = JSON.parse(process.argv[2] ?? "{}") as ClusterNodeOptions;

export interface ClusterNodeOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly port: number;
  readonly role: "api" | "worker";
}

/** Slow enough that batches outlast the kills. */
const RENDER_MS = { api: 60, worker: 400 } as const;
const fake = createFakeRenderer();
const engine = createEngine({
  storage: await openPostgresStorage({
    url: databaseUrl,
    cache: await openRedisCache({ url: redisUrl }),
  }),
  renderer: {
    ...fake,
    async render(parameters) {
      await wait(RENDER_MS[role]);
      return fake.render(parameters);
    },
  },
  resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
  secretKey: "a key for this test",
  targets: { allow: parseTargetList("127.0.0.1"), ownHostnames: [] },
  concurrency: 8,
  itemLeaseMs: 1500,
  // Longer than a restart of PostgreSQL.
  reservationLeaseMs: 15_000,
  webhookRetryDelaysMs: [500, 500, 500, 500, 500, 500, 500, 500],
  baseUrl: "http://snap.example.com/v1",
});
if (role === "worker") engine.startWorker();
const service = await serveEngine(engine, { port, endpoints: role === "worker" ? "operations" : "all" });
process.stdout.write(`listening at ${service.origin}\n`);
process.once(
  "SIGTERM",
  () =>
    void service
      .stop()
      .then(() => engine.close())
      .then(() => process.exit(0)),
);
