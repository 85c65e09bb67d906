import { createEngine } from "@snap/engine";
import { createLogger, startService } from "@snap/server";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openRedisCache } from "@snap/storage-redis";
import { createFakeRenderer, createFakeResolver } from "@snap/testing";

/*
 * An api process over PostgreSQL and Redis whose renderer answers at once: what is measured is all the
 * rest. Its options come as JSON.
 */

export interface ClusterNodeOptions {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly secretKey: string;
}

const { databaseUrl, redisUrl, secretKey } = JSON.parse(process.argv[2] ?? "{}") as ClusterNodeOptions;
const publicUrl = "http://snap.example.com";
const engine = createEngine({
  storage: await openPostgresStorage({
    url: databaseUrl,
    cache: await openRedisCache({ url: redisUrl }),
  }),
  renderer: createFakeRenderer(),
  resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
  secretKey,
  concurrency: 64,
  baseUrl: `${publicUrl}/v1`,
});
const service = await startService({
  engine,
  host: "127.0.0.1",
  port: 0,
  publicUrl,
  logger: createLogger("warn"),
  metrics: false,
});
console.log(new URL(service.origin).port);
process.once("SIGTERM", () => void service.stop().then(() => process.exit()));
