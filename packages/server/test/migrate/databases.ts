import { createMemoryStorage } from "@snap/testing";
import { openPostgresStorage, type PostgresStorage } from "@snap/storage-postgres";
import { startPostgres, type PostgresServer } from "../../../testing/test/servers/postgres.ts";
import pg from "pg";
import { afterAll, beforeAll } from "vitest";

/** Starts a PostgreSQL server for the tests in a file; creates empty databases on it. */
export function useDatabases(): { readonly server: () => PostgresServer; newDatabase(): Promise<string> } {
  let server: PostgresServer | null = null;
  let count = 0;
  const requireServer = (): PostgresServer => {
    if (server === null) throw new Error("The server has not started yet.");
    return server;
  };
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.remove());
  return {
    server: requireServer,
    async newDatabase() {
      const name = `test_${(count += 1)}`;
      await execute(requireServer().url(), `CREATE DATABASE ${name}`);
      return requireServer().url(name);
    },
  };
}

/** Opens a storage on the database, with an in-memory cache. */
export function openShared(url: string): Promise<PostgresStorage> {
  return openPostgresStorage({ url, cache: createMemoryStorage() });
}

/** Executes one statement on a new connection. */
export async function execute<Row>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}
