import { createClient } from "@redis/client";
import { createEngine } from "@snap/engine";
import { createLogger, startService } from "@snap/server";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openRedisCache } from "@snap/storage-redis";
import { createFakeRenderer, createFakeResolver } from "@snap/testing";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { startPostgres } from "../../../testing/test/servers/postgres.ts";
import { startRedis } from "../../../testing/test/servers/redis.ts";
import { rounded } from "../report.ts";
import { atMost, type Figure, type Scenario, type Table } from "../scenario.ts";
import { createBearers, fetchExpecting, SECRET_KEY } from "../service.ts";

const PUBLIC_URL = "http://snap.example.com";
const PAGE = `/v1/snap?url=${encodeURIComponent("https://example.com/")}`;
/** An account may have 300 cached responses a minute. */
const HITS_PER_ACCOUNT = 250;
/** Sent one after the other, behind a few that don't count. */
const COUNTED = 1000;
const WARM_UP = 20;

const KINDS = [
  { name: "hits", pathOf: () => PAGE, postgres: 1, redis: 2 },
  // Pages that nobody has requested yet.
  { name: "renders", pathOf: (index: number) => `${PAGE}${index}`, postgres: 3, redis: 4 },
];

export const machines: Scenario = {
  name: "machines",
  title: "Several machines",
  about:
    "The round trips to PostgreSQL and Redis that one request takes, of an api process with a renderer that returns at once: requests one after the other, on a process that has served some before.",
  onlyFull: true,
  async run(bench) {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const databaseUrl = postgres.url();
    const cache = await openRedisCache({ url: redis.url });
    const engine = createEngine({
      storage: await openPostgresStorage({ url: databaseUrl, cache }),
      renderer: createFakeRenderer(),
      resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
      secretKey: SECRET_KEY,
      baseUrl: `${PUBLIC_URL}/v1`,
    });
    const logger = createLogger("warn");
    const service = await startService({
      engine,
      host: "127.0.0.1",
      port: 0,
      publicUrl: PUBLIC_URL,
      logger,
      metrics: false,
    });
    const bearers = await createBearers(engine, 1 + Math.ceil((COUNTED + WARM_UP) / HITS_PER_ACCOUNT));
    const figures: Figure[] = [];
    const rows: Table["rows"][number][] = [];
    for (const { name, pathOf, ...targets } of KINDS) {
      bench.say(name);
      let requests = 0;
      const send = async (count: number): Promise<void> => {
        for (const end = requests + count; requests < end; requests += 1) {
          const bearer = bearers[Math.floor(requests / HITS_PER_ACCOUNT)];
          await fetchExpecting(200, `${service.origin}${pathOf(requests)}`, bearer);
        }
      };
      await send(WARM_UP);
      const { postgres: ofPostgres, redis: ofRedis } = await countRoundTrips(
        { databaseUrl, redisUrl: redis.url },
        () => send(COUNTED),
      );
      rows.push({ "one of the": name, PostgreSQL: rounded(ofPostgres), Redis: rounded(ofRedis) });
      figures.push(
        atMost(targets.postgres, `round trips to PostgreSQL for one of the ${name}`, ofPostgres),
        atMost(targets.redis, `round trips to Redis for one of the ${name}`, ofRedis),
      );
    }
    await service.stop();
    await engine.close();
    await Promise.all([postgres.remove(), redis.stop()]);
    return { figures, tables: [{ rows }] };
  },
};

/** Sessions that have nothing to do report their counts after ten seconds. */
const STATISTICS_DELAY_MS = 11_000;

interface RoundTrips {
  readonly postgres: number;
  readonly redis: number;
}

/**
 * How often both servers were called for each of the counted requests, by their own count, to a tenth: what the
 * process does by itself meanwhile is less than that. PostgreSQL counts transactions, which are single statements
 * in all that is measured here; Redis counts how often it read from a connection.
 */
async function countRoundTrips(
  { databaseUrl, redisUrl }: { readonly databaseUrl: string; readonly redisUrl: string },
  work: () => Promise<void>,
): Promise<RoundTrips> {
  const client = new pg.Client({ connectionString: databaseUrl });
  const redis = createClient({ url: redisUrl });
  await Promise.all([client.connect(), redis.connect()]);
  const look = async (): Promise<RoundTrips> => {
    await sleep(STATISTICS_DELAY_MS);
    const { rows } = await client.query<{ transactions: string }>(
      "SELECT xact_commit AS transactions FROM pg_stat_database WHERE datname = current_database()",
    );
    const [, reads] = /^total_reads_processed:(\d+)/m.exec(await redis.info("stats")) ?? [];
    return { postgres: Number(rows[0]?.transactions), redis: Number(reads) };
  };
  const before = await look();
  await work();
  const after = await look();
  await Promise.all([client.end(), redis.close()]);
  const each = (count: number): number => Math.round((count * 10) / COUNTED) / 10;
  // Its own look is one of what Redis read.
  return { postgres: each(after.postgres - before.postgres), redis: each(after.redis - before.redis - 1) };
}
