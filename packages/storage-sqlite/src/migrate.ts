import type { BeforeMigration } from "@snap/engine/ports";
import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { copyDatabase } from "./copy-database.ts";
import { initial } from "./migrations/001-initial.ts";
import { batches } from "./migrations/002-batches.ts";
import { journalAsALog } from "./migrations/003-journal-as-a-log.ts";
import { reversals } from "./migrations/004-reversals.ts";
import { renderingFiles } from "./migrations/005-rendering-files.ts";
import { accountEnds } from "./migrations/006-account-ends.ts";
import { backups } from "./migrations/007-backups.ts";
import { StorageFault } from "./faults.ts";
import { tokensAndAudit } from "./migrations/008-tokens-and-audit.ts";
import { documents } from "./migrations/009-documents.ts";
import { consoleTables } from "./migrations/010-console.ts";
import { idempotencyKeys } from "./migrations/011-idempotency-keys.ts";
import { renderedPages } from "./migrations/012-rendered-pages.ts";
import { prepare } from "./prepare.ts";
import { transact } from "./transaction.ts";

/** In order; the version of a database is the number of migrations applied to it. */
export const MIGRATIONS: readonly string[] = [
  initial,
  batches,
  journalAsALog,
  reversals,
  renderingFiles,
  accountEnds,
  backups,
  tokensAndAudit,
  documents,
  consoleTables,
  idempotencyKeys,
  renderedPages,
];

/** Schema version of this release. */
export const SCHEMA_VERSION = MIGRATIONS.length;

/** "snap" in ASCII: distinguishes our files from other SQLite databases (SQLite file format, 1.3). */
const APPLICATION_ID = 0x736e6170;

/**
 * Migrates the database to the current version; first copies it, unless it is new. Reads the version under the write
 * lock, so only one of several processes migrates a file, and the copy is complete.
 *
 * @throws Error if the database is newer than this code, or belongs to another program.
 */
export function migrate(
  database: DatabaseSync,
  { filename, beforeMigration }: { readonly filename: string; readonly beforeMigration: BeforeMigration },
): void {
  const to = SCHEMA_VERSION;
  if (versionOf(database, filename) === to) return;
  transact(database, () => {
    const from = versionOf(database, filename);
    if (from > 0 && from < to) {
      const copy = copyPath(filename, from);
      beforeMigration({ from, to, copy }, newestSealedSecret(database));
      copyDatabase(filename, copy);
    }
    for (const migration of MIGRATIONS.slice(from)) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${to}`);
  });
}

/**
 * Returns the newest token's signing secret, as the engine encrypted it, or `null` if there are no tokens. The column
 * exists in every schema version.
 */
export function newestSealedSecret(database: DatabaseSync): string | null {
  const newest = prepare<{ sealed: string }>(
    database,
    "SELECT lower(hex(sealed_signing_secret)) AS sealed FROM tokens ORDER BY id DESC LIMIT 1",
  );
  return newest.get()?.sealed ?? null;
}

/** Path of the database copy that is made before the migration from `version`. */
function copyPath(filename: string, version: number): string {
  return `${filename}.schema-${version}`;
}

/**
 * Returns the number of applied migrations.
 *
 * @throws Error if the database is newer than this code, or belongs to another program.
 */
export function versionOf(database: DatabaseSync, filename: string): number {
  const state = prepare<{ applicationId: number; version: number; objects: number }>(
    database,
    `SELECT (SELECT application_id FROM pragma_application_id) AS applicationId,
       (SELECT user_version FROM pragma_user_version) AS version,
       (SELECT count(*) FROM sqlite_schema) AS objects`,
  ).get();
  if (state === undefined || (state.version === 0 && state.objects === 0)) return 0;
  if (state.applicationId !== APPLICATION_ID)
    throw new Error(`${filename} belongs to another program; use another directory`);
  if (state.version > SCHEMA_VERSION)
    throw new StorageFault(
      "schema_newer",
      `${filename} was written by a newer release (schema version ${state.version}; this release supports up to ${SCHEMA_VERSION})`,
      remedyFor(filename),
    );
  return state.version;
}

function remedyFor(filename: string): string {
  const copy = copyPath(filename, SCHEMA_VERSION);
  return existsSync(copy)
    ? `use the newer release, or go back to ${copy}, the copy from before the upgrade, as the upgrade guide explains`
    : "upgrade to that release or a newer one";
}
