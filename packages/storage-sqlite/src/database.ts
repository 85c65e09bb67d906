import type { BeforeMigration } from "@snap/engine/ports";
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { isBusy } from "./faults.ts";
import { RESERVE_BYTES } from "./ledger-reserve.ts";
import { migrate } from "./migrate.ts";
import { createPrivateFile } from "./private-files.ts";

const OPEN_ATTEMPTS = 8;
const FIRST_RETRY_MS = 10;

/**
 * Returns whether there is a database. An empty file does not count, because opening it would create one; but a small
 * database may still be entirely in its write-ahead log.
 */
export function hasDatabase(filename: string): boolean {
  return [filename, `${filename}-wal`].some(
    (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
}

/** Opens the file; creates and migrates it if needed. */
export async function openDatabase({
  filename,
  busyTimeoutMs,
  beforeMigration,
}: {
  readonly filename: string;
  readonly busyTimeoutMs: number;
  readonly beforeMigration: BeforeMigration;
}): Promise<DatabaseSync> {
  createPrivateFile(filename);
  const database = new DatabaseSync(filename, {
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
    // whole records are bound, including fields without a column
    allowUnknownNamedParameters: true,
  });
  try {
    await retryWhileBusy(() => {
      configure(database);
      migrate(database, { filename, beforeMigration });
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function configure(database: DatabaseSync): void {
  // write-ahead log: writers do not block readers, and a commit is one append
  database.exec("PRAGMA journal_mode = WAL");
  // with NORMAL, a killed process loses nothing, because the system has the log in memory; what durably() writes also
  // survives a power failure
  database.exec("PRAGMA synchronous = NORMAL");
  // truncates the log after a burst, but never below the ledger's reserve
  database.exec(`PRAGMA journal_size_limit = ${2 * RESERVE_BYTES}`);
  // overwrites deleted rows with zeros, so a deleted account's data cannot be read from the file
  database.exec("PRAGMA secure_delete = ON");
  // 16 MiB instead of 2: with large tables, each active account writes to a separate page, and these pages stay cached
  database.exec("PRAGMA cache_size = -16384");
  // memory-maps the first GiB instead of copying pages. A disk read error or a truncated file then crashes the process
  // (SIGBUS) instead of returning an error; no acknowledged write is lost.
  database.exec("PRAGMA mmap_size = 1073741824");
}

/**
 * SQLite's busy timeout does not cover two short exclusive locks: the switch to a write-ahead log, and the cleanup
 * after the last connection closes.
 */
async function retryWhileBusy(work: () => void): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      work();
      return;
    } catch (error) {
      if (attempt === OPEN_ATTEMPTS || !isBusy(error)) throw error;
      await wait(FIRST_RETRY_MS * 2 ** (attempt - 1));
    }
  }
}
