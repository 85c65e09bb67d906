import type { DatabaseSync } from "node:sqlite";
import { initial } from "./migrations/001-initial.ts";
import { batches } from "./migrations/002-batches.ts";
import { journalAsALog } from "./migrations/003-journal-as-a-log.ts";
import { reversals } from "./migrations/004-reversals.ts";
import { prepare } from "./prepare.ts";
import { writing } from "./transaction.ts";

/** In order; the version of a database is the number of those it has been through. */
export const MIGRATIONS: readonly string[] = [initial, batches, journalAsALog, reversals];

/** "snap" in ASCII: tells our files from other SQLite databases (SQLite file format, 1.3). */
const APPLICATION_ID = 0x736e6170;

/**
 * Brings the database to the version of this code. The version is read under the write lock, so
 * that of several processes opening a file at once one migrates and the others find it done.
 *
 * @throws Error when the database is newer than this code, or not a database of ours.
 */
export function migrate(database: DatabaseSync, filename: string): void {
  if (versionOf(database, filename) === MIGRATIONS.length) return;
  writing(database, () => {
    for (const migration of MIGRATIONS.slice(versionOf(database, filename))) database.exec(migration);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

/** How many migrations it has been through. */
function versionOf(database: DatabaseSync, filename: string): number {
  const state = prepare<{ applicationId: number; version: number; objects: number }>(
    database,
    `SELECT (SELECT application_id FROM pragma_application_id) AS applicationId,
       (SELECT user_version FROM pragma_user_version) AS version,
       (SELECT count(*) FROM sqlite_schema) AS objects`,
  ).get();
  if (state === undefined || (state.version === 0 && state.objects === 0)) return 0;
  if (state.applicationId !== APPLICATION_ID) throw new Error(`${filename} is a database of another program`);
  if (state.version > MIGRATIONS.length)
    throw new Error(
      `${filename} was written by a newer release: its schema has version ${state.version}, and this release knows ${MIGRATIONS.length}. Upgrade @snap/storage-sqlite`,
    );
  return state.version;
}
