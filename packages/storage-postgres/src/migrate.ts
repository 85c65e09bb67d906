import type { Database } from "./database.ts";
import { initial } from "./migrations/001-initial.ts";
import { ledger } from "./migrations/002-ledger.ts";
import { batches } from "./migrations/003-batches.ts";
import { moves } from "./migrations/004-moves.ts";
import { keyMark } from "./migrations/005-key-mark.ts";
import { reversals } from "./migrations/006-reversals.ts";

/** In order; the version of a database is the number of those it has been through. */
export const MIGRATIONS: readonly string[] = [initial, ledger, batches, moves, keyMark, reversals];

/** "snap" in ASCII: names the lock under which one process migrates while the others wait. */
const MIGRATION_LOCK = 0x736e6170;

/**
 * Brings the schema `snap` to the version of this code. The version is read again under an advisory lock,
 * so that of several processes that start at once one migrates and the others find it done.
 *
 * @throws Error when the database is newer than this code.
 */
export async function migrate(database: Database): Promise<void> {
  const [found] = await database.query<{ table: string | null }>(
    "SELECT to_regclass('snap.migrations')::TEXT AS table",
  );
  if (found?.table != null && (await versionOf(database)) === MIGRATIONS.length) return;
  await database.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await query("CREATE SCHEMA IF NOT EXISTS snap");
    await query(
      "CREATE TABLE IF NOT EXISTS snap.migrations (version INTEGER PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL DEFAULT now())",
    );
    const version = await versionOf({ query });
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await query(migration);
      await query("INSERT INTO snap.migrations (version) VALUES ($1)", [index + 1]);
    }
  });
}

/** How many migrations it has been through. */
async function versionOf({ query }: Pick<Database, "query">): Promise<number> {
  const [row] = await query<{ version: number }>(
    "SELECT coalesce(max(version), 0) AS version FROM snap.migrations",
  );
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length)
    throw new Error(
      `the database was written by a newer release: its schema has version ${version}, and this release knows ${MIGRATIONS.length}. Upgrade @snap/storage-postgres`,
    );
  return version;
}
