import type { BeforeMigration } from "@snap/engine/ports";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { openDocumentFiles, openRenderingFiles, type BodyFiles } from "../body-files.ts";
import { copyDatabase } from "../copy-database.ts";
import { hasDatabase, openDatabase } from "../database.ts";
import { StorageFault } from "../faults.ts";
import { lockFolder } from "../folder-lock.ts";
import { SCHEMA_VERSION } from "../migrate.ts";
import { prepare } from "../prepare.ts";
import { writeLastBackup } from "./last-backup.ts";

/** How long to wait for a lock, such as during one of the service's writes. */
const BUSY_TIMEOUT_MS = 10_000;

export interface SqliteSnapshotOptions {
  /** Directory of the file `snap.db`. */
  readonly directory: string;
  /**
   * An existing directory for the copy of the database, which needs as much space as the database; without renderings,
   * up to twice as much for a moment.
   */
  readonly workDirectory: string;
  /** If `false`, the copy lists no cached renderings. */
  readonly includesRenderings: boolean;
  /** The instant that the storage records as its last backup. */
  readonly now: number;
  /** As for `openSqliteStorage`. */
  readonly beforeMigration: BeforeMigration;
}

/** A file in the storage other than its database. */
export interface SnapshotFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** An embedded storage as of one instant. Other processes can keep using the storage. */
export interface SqliteSnapshot {
  readonly schemaVersion: number;
  /** A private copy of the database, complete without a write-ahead log. */
  readonly filename: string;
  /** Number of cached renderings in the copy. */
  readonly renderingCount: number;
  /** Reads the renderings one at a time; leaves out those deleted or replaced since. */
  renderings(): AsyncGenerator<SnapshotFile>;
  /** Reads the documents one at a time; leaves out those deleted since. */
  documents(): AsyncGenerator<SnapshotFile>;
  /** Stores `now` as the instant of the last backup. Call it once the backup is safe. */
  recordBackup(): void;
  close(): void;
}

/**
 * Copies the database of the embedded storage as of one transaction, for a backup. Blocks only this process.
 *
 * @throws Error if the directory contains no storage, or if it belongs to another program, was written by a
 * newer release, or is being restored; or what `beforeMigration` throws for a storage from an older release.
 *
 * @example
 * const snapshot = await openSqliteSnapshot({
 *   directory: "./data",
 *   workDirectory: "/var/backups/work",
 *   includesRenderings: false,
 *   now: Date.now(),
 *   beforeMigration: () => {
 *     throw new Error("upgrade first");
 *   },
 * });
 * console.log(snapshot.filename);
 * snapshot.close();
 */
export async function openSqliteSnapshot(options: SqliteSnapshotOptions): Promise<SqliteSnapshot> {
  const { directory, workDirectory, includesRenderings, now, beforeMigration } = options;
  const filename = join(directory, "snap.db");
  if (!hasDatabase(filename))
    throw new StorageFault(
      "database_missing",
      `${directory} does not contain snap.db`,
      "set SNAP_DATA_DIR to the service's folder",
    );
  const lock = lockFolder(filename, { use: "shared", timeoutMs: BUSY_TIMEOUT_MS });
  const opened: DatabaseSync[] = [];
  const close = (): void => {
    for (const database of opened) if (database.isOpen) database.close();
    lock.release();
  };
  try {
    const database = await openDatabase({ filename, busyTimeoutMs: BUSY_TIMEOUT_MS, beforeMigration });
    opened.push(database);
    const copyName = join(workDirectory, "snap.db");
    copyDatabase(filename, copyName);
    if (!includesRenderings) removeRenderings(copyName);
    const copy = new DatabaseSync(copyName);
    opened.push(copy);
    copy.exec("PRAGMA secure_delete = ON");
    writeLastBackup(copy, now);
    // a restore would bring back the sessions that have been ended since
    copy.exec("DELETE FROM sign_ins");
    return {
      schemaVersion: SCHEMA_VERSION,
      filename: copyName,
      renderingCount: countRenderings(copy),
      // rows from older releases contain the bytes, and have no size
      renderings: () =>
        readAll(
          openRenderingFiles(filename),
          copy.prepare("SELECT rowid AS id, size FROM renderings WHERE size IS NOT NULL ORDER BY rowid"),
        ),
      documents: () =>
        readAll(
          openDocumentFiles(filename),
          copy.prepare("SELECT sequence AS id, bytes AS size FROM documents ORDER BY sequence"),
        ),
      recordBackup: () => writeLastBackup(database, now),
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Copies the rest once more, because titles and URLs would remain in free pages. */
function removeRenderings(filename: string): void {
  const database = new DatabaseSync(filename);
  try {
    database.exec("DELETE FROM renderings");
  } finally {
    database.close();
  }
  copyDatabase(filename, filename);
}

function countRenderings(copy: DatabaseSync): number {
  return prepare<{ count: number }>(copy, "SELECT count(*) AS count FROM renderings").get()?.count ?? 0;
}

async function* readAll(files: BodyFiles, list: StatementSync): AsyncGenerator<SnapshotFile> {
  const rows = list.iterate() as Iterable<unknown> as Iterable<{ id: number; size: number }>;
  for (const { id, size } of rows) {
    const bytes = await files.read(id, { position: 0, size });
    if (bytes !== null) yield { name: String(id), bytes };
  }
}
