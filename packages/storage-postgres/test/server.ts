import type { Storage } from "@snap/engine/ports";
import { createMemoryStorage, type StorageSettings } from "@snap/testing";
import { startPostgres, type PostgresServer } from "../../testing/test/servers/postgres.ts";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";
import { openPostgresStorage, type PostgresStorage, type PostgresStorageOptions } from "../src/index.ts";

const TEMPLATE = "test_template";

/** A PostgreSQL server for the tests in a group, and its databases. */
export interface TestServer {
  readonly server: () => PostgresServer;
  /** Creates a database, migrated by default, and returns its URL. */
  newDatabase(options?: { readonly migrated: boolean }): Promise<string>;
  /** Empties a shared database and opens a storage on it; creating a database takes ten times as long. */
  openEmptied(settings?: StorageSettings): Promise<{ readonly storage: Storage; close(): Promise<void> }>;
}

/** Deletes all records, but not `moves` and `key_mark`. Replica mode disables the journal's append-only trigger. */
export const TRUNCATE_ALL = `SET session_replication_role = replica;
  TRUNCATE snap.accounts, snap.tokens, snap.balances, snap.reservations, snap.journal, snap.batches,
    snap.batch_items, snap.deliveries, snap.deletions, snap.documents, snap.audit, snap.history,
    snap.usage_totals, snap.sign_ins, snap.write_checks RESTART IDENTITY CASCADE`;

export function useServer(): TestServer {
  let server: PostgresServer | null = null;
  let databases = 0;
  const requireServer = (): PostgresServer => {
    if (server === null) throw new Error("PostgreSQL has not been started");
    return server;
  };
  beforeAll(async () => {
    server = await startPostgres();
    await execute(server.url(), `CREATE DATABASE ${TEMPLATE}`);
    const storage = await openStorage({ url: server.url(TEMPLATE) });
    await storage.close();
  });
  afterAll(() => server?.remove());
  const newDatabase = async ({ migrated } = { migrated: true }): Promise<string> => {
    const name = `test_${(databases += 1)}`;
    const template = migrated ? TEMPLATE : "template1";
    await execute(requireServer().url(), `CREATE DATABASE ${name} TEMPLATE ${template}`);
    return requireServer().url(name);
  };
  return {
    server: requireServer,
    newDatabase,
    async openEmptied(settings) {
      const url = requireServer().url(TEMPLATE);
      await execute(url, TRUNCATE_ALL);
      const storage = await openPostgresStorage({ url, cache: createMemoryStorage(settings) });
      return { storage, close: () => storage.close() };
    },
  };
}

/** Opens a storage with a cache in memory. */
export function openStorage(options: Omit<PostgresStorageOptions, "cache">): Promise<PostgresStorage> {
  return openPostgresStorage({ ...options, cache: createMemoryStorage() });
}

/** Runs SQL on a new connection: any number of statements, or one with values. */
export async function execute<Row>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await (values.length === 0
      ? client.query(text)
      : client.query({ text, values: [...values] }));
    return rows as Row[];
  } finally {
    await client.end();
  }
}
