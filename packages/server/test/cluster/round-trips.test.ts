import { createEngine } from "@snap/engine";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openRedisCache } from "@snap/storage-redis";
import { createFakeRenderer, createFakeResolver } from "@snap/testing";
import { once } from "node:events";
import { connect } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startPostgres, type PostgresServer } from "../../../testing/test/servers/postgres.ts";
import { startRedis, type RedisServer } from "../../../testing/test/servers/redis.ts";
import { serveEngine } from "../http/serve-engine.ts";

const WARM_UP_REQUESTS = 5;
const COUNTED_REQUESTS = 50;

// docs/explanation/architecture.md promises these numbers.
describe("the round trips of a request", { tags: ["postgres", "redis"] }, () => {
  let postgres: PostgresServer;
  let redis: RedisServer;
  let close: () => Promise<void>;
  let send: (path: string, headers?: Record<string, string>) => Promise<Response>;
  beforeAll(async () => {
    [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const engine = createEngine({
      storage: await openPostgresStorage({
        url: postgres.url(),
        cache: await openRedisCache({ url: redis.url }),
      }),
      renderer: createFakeRenderer(),
      resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
      secretKey: "a key for this test",
      baseUrl: "http://snap.example.com/v1",
    });
    const service = await serveEngine(engine);
    const { id: accountId } = await engine.accounts.create({
      email: "ada@example.com",
      planSlug: "starter",
      verified: true,
      creditsPerPeriod: 1000,
      requestsPerMinute: 1000,
    });
    const { token } = await engine.tokens.create({ accountId });
    send = (path, headers = {}) =>
      fetch(`${service.origin}/v1/snap?url=https://example.com/${path}`, {
        headers: { ...headers, authorization: `Bearer ${token}` },
      });
    close = async () => {
      await service.stop();
      await engine.close();
    };
  });
  afterAll(async () => {
    await close();
    await Promise.all([postgres.remove(), redis.stop()]);
  });

  it.each([
    // The render does not wait for the last of the six, which releases the lease.
    { what: "render", toPostgres: 3, toRedis: 6 },
    { what: "cache hit", toPostgres: 1, toRedis: 2 },
    { what: "cache hit with a matching ETag", toPostgres: 1, toRedis: 1 },
  ])("$what: $toPostgres to PostgreSQL, $toRedis to Redis", async ({ what, toPostgres, toRedis }) => {
    const headers = {
      ...(what === "cache hit with a matching ETag" && {
        "if-none-match": (await send("hit")).headers.get("etag") ?? "",
      }),
    };
    let requests = 0;
    const request = async (): Promise<void> => {
      requests += 1;
      const { status } = await send(what === "render" ? String(requests) : "hit", headers);
      expect(status).toBe(what === "cache hit with a matching ETag" ? 304 : 200);
    };
    // The first requests also open connections and load scripts.
    while (requests < WARM_UP_REQUESTS) await request();
    const queries = vi.spyOn(pg.Client.prototype, "query");
    const readsBefore = await countReads(redis);
    while (requests < WARM_UP_REQUESTS + COUNTED_REQUESTS) await request();
    const reads = (await countReads(redis)) - readsBefore;
    // Rounded, because background work adds a few round trips.
    expect(Math.round(queries.mock.calls.length / COUNTED_REQUESTS)).toBe(toPostgres);
    expect(Math.round(reads / COUNTED_REQUESTS)).toBe(toRedis);
    queries.mockRestore();
  });
});

/** Returns how many times Redis has read from its connections: one read per round trip, even for pipelined commands. */
async function countReads({ url }: RedisServer): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write("INFO stats\r\n");
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return Number(/total_reads_processed:(\d+)/.exec(data.toString())?.[1]);
}
