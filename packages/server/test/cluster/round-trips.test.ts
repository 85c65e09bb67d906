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
import { startService } from "../../src/http/service.ts";
import { createLogger } from "../../src/operations/logger.ts";

const WARM_UP = 5;
const COUNTED = 50;

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
    const service = await startService({
      engine,
      host: "127.0.0.1",
      port: 0,
      publicUrl: "http://snap.example.com",
      logger: createLogger("silent"),
      metrics: false,
    });
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
    // stores the rendering over one connection while it releases the lease over the other
    { what: "render", toPostgres: 3, toRedis: 5 },
    { what: "hit", toPostgres: 1, toRedis: 2 },
    { what: "unchanged hit", toPostgres: 1, toRedis: 1 },
  ])("of a $what: $toPostgres to PostgreSQL and $toRedis to Redis", async ({ what, toPostgres, toRedis }) => {
    const headers = {
      ...(what === "unchanged hit" && { "if-none-match": (await send("hit")).headers.get("etag") ?? "" }),
    };
    let requests = 0;
    const request = async (): Promise<void> => {
      requests += 1;
      const { status } = await send(what === "render" ? String(requests) : "hit", headers);
      expect(status).toBe(what === "unchanged hit" ? 304 : 200);
    };
    // Connections are opened and scripts are sent once.
    while (requests < WARM_UP) await request();
    const queries = vi.spyOn(pg.Client.prototype, "query");
    const readsBefore = await countReads(redis);
    while (requests < WARM_UP + COUNTED) await request();
    const reads = (await countReads(redis)) - readsBefore;
    // The service does little by itself meanwhile.
    expect(Math.round(queries.mock.calls.length / COUNTED)).toBe(toPostgres);
    expect(Math.round(reads / COUNTED)).toBe(toRedis);
    queries.mockRestore();
  });
});

/** How often Redis has read from a connection. */
async function countReads({ url }: RedisServer): Promise<number> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write("INFO stats\r\n");
  const [data] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return Number(/total_reads_processed:(\d+)/.exec(data.toString())?.[1]);
}
