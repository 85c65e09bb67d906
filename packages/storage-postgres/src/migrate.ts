import type { BeforeMigration } from "@snap/engine/ports";
import type { Database } from "./database.ts";
import { initial } from "./migrations/001-initial.ts";
import { ledger } from "./migrations/002-ledger.ts";
import { batches } from "./migrations/003-batches.ts";
import { moves } from "./migrations/004-moves.ts";
import { keyMark } from "./migrations/005-key-mark.ts";
import { reversals } from "./migrations/006-reversals.ts";
import { accountEnds } from "./migrations/007-account-ends.ts";
import { tokensAndAudit } from "./migrations/008-tokens-and-audit.ts";
import { documents } from "./migrations/009-documents.ts";
import { consoleTables } from "./migrations/010-console.ts";
import { idempotencyKeys } from "./migrations/011-idempotency-keys.ts";

/** In order; the version of a database is the number of migrations applied to it. */
export const MIGRATIONS: readonly string[] = [
  initial,
  ledger,
  batches,
  moves,
  keyMark,
  reversals,
  accountEnds,
  tokensAndAudit,
  documents,
  consoleTables,
  idempotencyKeys,
];

/** "snap" in ASCII: the advisory lock that the migrating process holds. */
const MIGRATION_LOCK = 0x736e6170;

/**
 * Migrates the schema `snap` to the current version. Reads the version again under an advisory lock, so only one of
 * several processes migrates.
 *
 * @throws Error if the database is newer than this code.
 */
export async function migrate(
  database: Database,
  {
    beforeMigration,
    beforeCreation,
  }: { readonly beforeMigration: BeforeMigration; readonly beforeCreation: () => void },
): Promise<void> {
  const [existing] = await database.query<{ table: string | null }>(
    "SELECT to_regclass('snap.migrations')::TEXT AS table",
  );
  if (existing?.table == null) beforeCreation();
  else if ((await versionOf(database)) === MIGRATIONS.length) return;
  await database.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [MIGRATION_LOCK]);
    await query("CREATE SCHEMA IF NOT EXISTS snap");
    await query(
      "CREATE TABLE IF NOT EXISTS snap.migrations (version INTEGER PRIMARY KEY, migrated_at TIMESTAMPTZ NOT NULL DEFAULT now())",
    );
    const version = await versionOf({ query });
    const to = MIGRATIONS.length;
    if (version > 0 && version < to)
      beforeMigration({ from: version, to, copy: null }, await newestSealedSecret({ query }));
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index < version) continue;
      await query(migration);
      await query("INSERT INTO snap.migrations (version) VALUES ($1)", [index + 1]);
    }
  });
}

/**
 * Returns the newest token's signing secret, as the engine encrypted it, or `null` if there are no tokens. The column
 * exists in every schema version.
 */
async function newestSealedSecret({ query }: Pick<Database, "query">): Promise<string | null> {
  const [newest] = await query<{ sealed: string }>(
    "SELECT encode(sealed_signing_secret, 'hex') AS sealed FROM snap.tokens ORDER BY id DESC LIMIT 1",
  );
  return newest?.sealed ?? null;
}

/** Returns the number of applied migrations. */
async function versionOf({ query }: Pick<Database, "query">): Promise<number> {
  const [row] = await query<{ version: number }>(
    "SELECT coalesce(max(version), 0) AS version FROM snap.migrations",
  );
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length) throw newerSchemaError(version);
  return version;
}

function newerSchemaError(version: number): Error {
  const problem = `the database was written by a newer release (schema version ${version}; this release supports up to ${MIGRATIONS.length})`;
  const advice = "upgrade to that release or a newer one";
  return Object.assign(new Error(`${problem}; ${advice}`), { code: "schema_newer", problem, advice });
}
