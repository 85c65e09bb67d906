import type { Storage } from "@snap/engine";
import { openPostgresStorage } from "@snap/storage-postgres";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { createMemoryStorage } from "@snap/testing";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { startPostgres, type PostgresServer } from "../../../testing/test/servers/postgres.ts";
import type { Dialect } from "../growth/fill.ts";
import { EMBEDDED, SHARED, type Subject } from "../growth/subjects.ts";
import { compare, timed, type Round } from "../measure.ts";
import { rounded } from "../report.ts";
import { atMost, type Bench, type Findings, type Figure, type Scenario, type Table } from "../scenario.ts";

/** Prime, and far from a divisor of any count: the steps come by everything, in no order. */
const STRIDE = 7_368_787;

/** A storage that holds so much. */
interface Filled {
  readonly storage: Storage;
  readonly remove: () => Promise<void>;
}

type OpenFilled = (statements: (dialect: Dialect) => string[]) => Promise<Filled>;

export const growth: Scenario = {
  name: "growth",
  title: "Growth",
  about:
    "The cost of one operation on an embedded storage that holds much, over one that holds little; in this process, one after the other, each on another of the things stored (off the queue, the one that is next). A stored rendering has 200 bytes here.",
  onlyFull: true,
  run: (bench) => measureGrowth(bench, EMBEDDED, (statements) => openEmbedded(bench.scratch, statements)),
};

export const sharedGrowth: Scenario = {
  name: "shared-growth",
  title: "Growth in PostgreSQL",
  about:
    "The cost of one operation on a database that holds much, over one that holds little, on the same server, which has both in its memory; one after the other, each on another of the things stored.",
  onlyFull: true,
  async run(bench) {
    const postgres = await startPostgres({ shared_buffers: "4GB" });
    try {
      return await measureGrowth(bench, SHARED, (statements) => openShared(postgres, statements));
    } finally {
      await postgres.remove();
    }
  },
};

/** The cost of an operation of each beside much, over its cost beside little. */
async function measureGrowth(
  bench: Bench,
  subjects: readonly Subject[],
  open: OpenFilled,
): Promise<Findings> {
  const rows: Table["rows"][number][] = [];
  const figures: Figure[] = [];
  for (const subject of subjects) {
    const { name, stored, few, opsPerRound } = subject;
    const many = bench.quick ? subject.manyWhenQuick : subject.many;
    bench.say(`${name}, with ${many} ${stored}`);
    const large = await open((dialect) => subject.fill(many, dialect));
    const small = await open((dialect) => subject.fill(few, dialect));
    const { oursMs, theirsMs, timeRatio } = await compare(
      roundOf(subject, large, many),
      roundOf(subject, small, few),
      bench.quick ? 3 : 8,
    );
    await large.remove();
    await small.remove();
    const amount = (count: number): string => count.toLocaleString("en-US");
    figures.push(atMost(1.2, `${name}, with ${amount(many)} ${stored} over ${amount(few)}`, timeRatio));
    const micros = (ms: number, count: number): string =>
      `${rounded((ms * 1000) / opsPerRound)} (${amount(count)})`;
    rows.push({
      operation: name,
      stored,
      "µs with few": micros(theirsMs, few),
      "µs with many": micros(oursMs, many),
      ratio: rounded(timeRatio),
    });
  }
  return { figures, tables: [{ rows }] };
}

function roundOf({ open, opsPerRound }: Subject, { storage }: Filled, count: number): Round {
  const operation = open(storage);
  let step = 0;
  return timed(async () => {
    for (let op = 0; op < opsPerRound; op += 1) await operation((step++ * STRIDE) % count);
  });
}

async function openEmbedded(scratch: string, statements: (dialect: Dialect) => string[]): Promise<Filled> {
  const directory = await mkdtemp(join(scratch, "growth-"));
  // Makes the tables.
  await (await openSqliteStorage({ directory })).close();
  const database = new DatabaseSync(join(directory, "snap.db"));
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -262144; BEGIN");
  for (const statement of statements({ bytes: (hex) => `x'${hex}'` })) database.exec(statement);
  // Down to the disk: the first sync of what is measured would otherwise wait for a gigabyte of this.
  database.exec("COMMIT; PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  const storage = await openSqliteStorage({ directory });
  return { storage, remove: () => storage.close().then(() => rm(directory, { recursive: true })) };
}

let databases = 0;

async function openShared(
  postgres: PostgresServer,
  statements: (dialect: Dialect) => string[],
): Promise<Filled> {
  const name = `growth_${(databases += 1)}`;
  await execute(postgres.url(), [`CREATE DATABASE ${name}`]);
  const url = postgres.url(name);
  const open = (): Promise<Storage> =>
    openPostgresStorage({ url, cache: createMemoryStorage(), maxConnections: 1 });
  // Makes the tables.
  await (await open()).close();
  await execute(url, [
    "SET search_path TO snap",
    ...statements({ bytes: (hex) => String.raw`'\x${hex}'` }),
    // What the server does by itself in the course of time, and must not do while others are measured.
    "VACUUM ANALYZE",
    "CHECKPOINT",
    "CREATE EXTENSION pg_prewarm",
    "SELECT pg_prewarm(oid) FROM pg_class WHERE relnamespace = 'snap'::REGNAMESPACE AND relkind IN ('r', 'i')",
  ]);
  const storage = await open();
  const drop = (): Promise<void> => execute(postgres.url(), [`DROP DATABASE ${name} WITH (FORCE)`]);
  return { storage, remove: () => storage.close().then(drop) };
}

async function execute(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
