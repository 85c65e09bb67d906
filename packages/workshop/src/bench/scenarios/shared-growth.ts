import { openPostgresStorage } from "@snap/storage-postgres";
import { createMemoryStorage } from "@snap/testing";
import pg from "pg";
import { startPostgres, type PostgresServer } from "../../servers/postgres.ts";
import { measureGrowth, type Filled } from "../growth/measure-growth.ts";
import { fillBatches, fillJournal, fillTokens, type Fill } from "../growth/shared-stored.ts";
import { queueTurn, reservation, tokenLookUp, type Subject } from "../growth/subjects.ts";
import type { Scenario } from "../scenario.ts";

type SharedSubject = Omit<Subject, "fill"> & { readonly fill: Fill };

const SUBJECTS: readonly SharedSubject[] = [
  { ...tokenLookUp, name: "PostgreSQL: a token look-up", fill: fillTokens, opsPerRound: 1_000 },
  {
    ...reservation,
    name: "PostgreSQL: a reservation, made and settled",
    // The embedded storage is measured with 10^7; here they would take minutes to store.
    many: 1_000_000,
    fill: fillJournal,
    opsPerRound: 300,
  },
  {
    ...queueTurn,
    name: "PostgreSQL: an item taken off the batch queue and put back",
    stored: "batches, of which ten wait",
    few: 1_000,
    many: 100_000,
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
    try {
      return await measureGrowth(bench, SUBJECTS, (subject, count) => openFilled(postgres, subject, count));
    } finally {
      await postgres.remove();
    }
  },
};

let databases = 0;

async function openFilled(
  postgres: PostgresServer,
  { fill, open }: SharedSubject,
  count: number,
): Promise<Filled> {
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
  return {
    operation: open(storage, count),
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
