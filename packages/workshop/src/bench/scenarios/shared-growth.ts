import { openPostgresStorage } from "@snap/storage-postgres";
import { createMemoryStorage } from "@snap/testing";
import pg from "pg";
import { startPostgres, type PostgresServer } from "../../servers/postgres.ts";
import { compare, timed, type Round } from "../compare.ts";
import { fillBatches, fillJournal, fillTokens, type Fill } from "../growth/shared-stored.ts";
import { queueTurn, reservation, tokenLookUp, type Subject } from "../growth/subjects.ts";
import { rounded } from "../report/table.ts";
import type { Scenario } from "../scenario.ts";

/** Prime, and far from a divisor of any count: the steps come by everything, in no order. */
const STRIDE = 7_368_787;

type SharedSubject = Pick<Subject, "name" | "open" | "stored" | "few" | "many" | "manyWhenQuick"> & {
  readonly fill: Fill;
  readonly opsPerRound: number;
};

const SUBJECTS: readonly SharedSubject[] = [
  { ...tokenLookUp, fill: fillTokens, opsPerRound: 1_000 },
  { ...reservation, fill: fillJournal, opsPerRound: 300 },
  {
    ...queueTurn,
    stored: "batches, of which ten wait",
    few: 1_000,
    many: 1_000_000,
    manyWhenQuick: 20_000,
    fill: fillBatches,
    opsPerRound: 100,
  },
];

export const sharedGrowth: Scenario = {
  name: "shared-growth",
  title: "Growth in PostgreSQL",
  about:
    "The cost of one operation on a database that holds much, over one that holds little, on the same server, which has both in its memory; one after the other, each on another of the things stored.",
  onlyFull: true,
  async run(bench) {
    const postgres = await startPostgres({ shared_buffers: "4GB" });
    const rows: string[][] = [];
    const figures = [];
    try {
      for (const subject of SUBJECTS) {
        const { name, stored, few, opsPerRound } = subject;
        const many = bench.quick ? subject.manyWhenQuick : subject.many;
        bench.say(`storing ${many} ${stored}`);
        const large = await openFilled(postgres, subject, many);
        const small = await openFilled(postgres, subject, few);
        bench.say(name);
        const { oursMs, theirsMs, timeRatio } = await compare(large.round, small.round, bench.quick ? 3 : 12);
        await large.remove();
        await small.remove();
        figures.push({
          name: `PostgreSQL: ${name}, with ${amount(many)} ${stored} over ${amount(few)}`,
          value: timeRatio,
          target: { atMost: 1.2 },
        });
        rows.push([
          name,
          stored,
          `${rounded((theirsMs * 1000) / opsPerRound)} (${amount(few)})`,
          `${rounded((oursMs * 1000) / opsPerRound)} (${amount(many)})`,
          rounded(timeRatio),
        ]);
      }
    } finally {
      await postgres.remove();
    }
    return {
      figures,
      tables: [{ columns: ["operation", "stored", "µs with few", "µs with many", "ratio"], rows }],
    };
  },
};

let databases = 0;

async function openFilled(
  postgres: PostgresServer,
  { fill, open, opsPerRound }: SharedSubject,
  count: number,
): Promise<{ readonly round: Round; readonly remove: () => Promise<void> }> {
  const name = `growth_${(databases += 1)}`;
  await execute(postgres.url(), (client) => client.query(`CREATE DATABASE ${name}`));
  const url = postgres.url(name);
  const openStorage = () => openPostgresStorage({ url, cache: createMemoryStorage(), maxConnections: 1 });
  // Makes the tables.
  await (await openStorage()).close();
  await execute(url, async (client) => {
    await fill(client, count);
    // What the server does by itself in the course of time, and must not do while others are measured.
    await client.query("VACUUM ANALYZE");
    await client.query("CHECKPOINT");
    await client.query("CREATE EXTENSION pg_prewarm");
    await client.query(
      "SELECT pg_prewarm(oid) FROM pg_class WHERE relnamespace = 'snap'::REGNAMESPACE AND relkind IN ('r', 'i')",
    );
  });
  const storage = await openStorage();
  const operation = open(storage, count);
  let step = 0;
  return {
    round: timed(async () => {
      for (let op = 0; op < opsPerRound; op += 1) await operation((step++ * STRIDE) % count);
    }),
    async remove() {
      await storage.close();
      await execute(postgres.url(), (client) => client.query(`DROP DATABASE ${name} WITH (FORCE)`));
    },
  };
}

async function execute(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function amount(count: number): string {
  return count.toLocaleString("en-US");
}
