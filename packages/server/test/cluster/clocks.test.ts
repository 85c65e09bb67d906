// @module-tag postgres
// @module-tag redis

import { createEngine, systemClock, type Engine } from "@snap/engine";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openRedisCache } from "@snap/storage-redis";
import { createFakeRenderer } from "@snap/testing";
import { startPostgres, type PostgresServer } from "../../../testing/test/servers/postgres.ts";
import { startRedis, type RedisServer } from "../../../testing/test/servers/redis.ts";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { createMetrics } from "../../src/operations/metrics/create-metrics.ts";

const HOUR_MS = 3_600_000;

let postgres: PostgresServer;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.remove());

/** Opens an engine whose clock is `skewMs` ahead of the clocks of PostgreSQL and Redis. */
async function open(skewMs: number, isRedisRunning = true): Promise<Engine> {
  const redis: RedisServer = await startRedis();
  onTestFinished(() => redis.stop());
  const cache = await openRedisCache({ url: redis.url });
  if (!isRedisRunning) await redis.stop();
  const storage = await openPostgresStorage({ url: postgres.url(), cache });
  const clock = { ...systemClock, now: () => Date.now() + skewMs };
  const engine = createEngine({
    storage,
    renderer: createFakeRenderer(),
    secretKey: "a key for these tests",
    clock,
  });
  onTestFinished(() => engine.close());
  return engine;
}

it.each([HOUR_MS, -HOUR_MS])(
  "measures a clock skew of %i ms against PostgreSQL and Redis",
  async (skewMs) => {
    const engine = await open(skewMs);
    const { ready, reasons } = await engine.health();
    expect(ready).toBe(false);
    expect(reasons).toHaveLength(2);
    const skews = engine.clockSkews();
    expect(skews.map(({ server }) => server)).toEqual(["PostgreSQL", "Redis"]);
    for (const skew of skews) expect(Math.round(skew.skewMs / HOUR_MS)).toBe(skewMs / HOUR_MS);
    const { body } = await createMetrics().expose(engine);
    for (const { server, skewMs: measuredMs } of skews)
      expect(body).toContain(`snap_clock_skew_seconds{server="${server}"} ${measuredMs / 1000}\n`);
  },
);

it("the engine is ready if the clocks agree, even if Redis is unavailable", async () => {
  const engine = await open(0);
  expect(await engine.health()).toMatchObject({ ready: true, reasons: [] });
  const withoutRedis = await open(0, false);
  expect(await withoutRedis.health()).toMatchObject({ ready: true, reasons: [] });
  expect(withoutRedis.clockSkews().map(({ server }) => server)).toEqual(["PostgreSQL"]);
});
