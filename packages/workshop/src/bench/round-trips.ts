import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface RoundTrips {
  readonly postgres: number;
  readonly redis: number;
}

/**
 * How often both servers were asked during `work`, by their own count, for requests that come one after the
 * other. PostgreSQL counts transactions, which are single statements in all that is measured here; Redis
 * counts how often it read from a connection.
 */
export async function countRoundTrips(
  { databaseUrl, redisUrl }: { readonly databaseUrl: string; readonly redisUrl: string },
  work: () => Promise<void>,
): Promise<RoundTrips> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const before = await look(client, redisUrl);
    await work();
    const after = await look(client, redisUrl);
    // Its own look is one of what Redis read.
    return { postgres: after.postgres - before.postgres, redis: after.redis - before.redis - 1 };
  } finally {
    await client.end();
  }
}

/** Sessions that have nothing to do tell their counts after ten seconds. */
const STATISTICS_DELAY_MS = 11_000;

async function look(client: pg.Client, redisUrl: string): Promise<RoundTrips> {
  await sleep(STATISTICS_DELAY_MS);
  const { rows } = await client.query<{ transactions: string }>(
    "SELECT xact_commit AS transactions FROM pg_stat_database WHERE datname = current_database()",
  );
  return { postgres: Number(rows[0]?.transactions), redis: await readsOf(redisUrl) };
}

/** `total_reads_processed` of INFO: a text over a plain socket, so that nothing else asks beside it. */
function readsOf(redisUrl: string): Promise<number> {
  const { hostname, port } = new URL(redisUrl);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.write("INFO stats\r\n"));
    socket.setEncoding("utf8").on("error", reject);
    socket.on("data", (part: string) => {
      text += part;
      const [, reads] = /^total_reads_processed:(\d+)\r$/m.exec(text) ?? [];
      if (reads === undefined) return;
      socket.destroy();
      resolve(Number(reads));
    });
  });
}
