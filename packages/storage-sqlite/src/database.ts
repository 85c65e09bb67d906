import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { migrate } from "./migrate.ts";

const OPEN_ATTEMPTS = 8;
const FIRST_RETRY_MS = 10;
/** Primary result code; the extended ones have it in their low byte (SQLite, result codes). */
const SQLITE_BUSY = 5;

/** Opens the file, made and brought to the version of this code where needed. */
export async function openDatabase({
  filename,
  busyTimeoutMs,
}: {
  readonly filename: string;
  readonly busyTimeoutMs: number;
}): Promise<DatabaseSync> {
  createPrivately(filename);
  const database = new DatabaseSync(filename, {
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
    // Records are bound as they come; what they hold beyond their columns is left out.
    allowUnknownNamedParameters: true,
  });
  try {
    await retryWhileBusy(() => {
      configure(database);
      migrate(database, filename);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** It holds renderings, hashes and sealed secrets. SQLite gives `-wal` and `-shm` the mode of the file. */
function createPrivately(filename: string): void {
  mkdirSync(dirname(filename), { recursive: true, mode: 0o700 });
  try {
    // Never opens a file that is there: closing it again would drop the locks that another
    // connection of this process holds on it (fcntl, POSIX.1).
    closeSync(openSync(filename, "wx", 0o600));
  } catch (error) {
    if (!existsSync(filename)) throw error;
  }
}

function configure(database: DatabaseSync): void {
  // Write-ahead log: readers go on while one process writes, and a commit is one append.
  database.exec("PRAGMA journal_mode = WAL");
  // A killed process loses nothing with NORMAL, as the log is in the system's memory. What must
  // survive a loss of power too is written by durably().
  database.exec("PRAGMA synchronous = NORMAL");
  // A burst of renderings leaves a long log; this is what it is cut back to at its next reset.
  database.exec("PRAGMA journal_size_limit = 67108864");
  // 16 MiB instead of two: a reservation then has at hand the pages that it writes, one for each account
  // that is at work, where the tables are long.
  database.exec("PRAGMA cache_size = -16384");
  // The first GiB is read where the system holds it, instead of copied page by page. Its price: a disk
  // that fails to read a page ends the process (SIGBUS), as does another program that shortens the file;
  // SQLite would have answered the one with an error. Nothing that was answered is lost by that, and both
  // ask for somebody to look.
  database.exec("PRAGMA mmap_size = 1073741824");
}

/**
 * SQLite's own waiting does not cover two short moments in which others keep a file to themselves:
 * the change to a write-ahead log, and the clean-up behind the last connection that closes.
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

/** Others have the file. */
export function isBusy(error: unknown): boolean {
  return (
    error instanceof Error &&
    "errcode" in error &&
    typeof error.errcode === "number" &&
    (error.errcode & 0xff) === SQLITE_BUSY
  );
}
