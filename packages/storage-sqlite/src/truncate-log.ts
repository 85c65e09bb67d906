import type { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { LedgerReserve } from "./ledger-reserve.ts";
import { prepare } from "./prepare.ts";

/** Takes 30 seconds, longer than most backups. */
const ATTEMPTS = 1500;
const RETRY_MS = 20;

/**
 * Empties the write-ahead log, which still contains pages from before a deletion; in the database, deleted rows are
 * overwritten with zeros (`secure_delete`).
 *
 * @throws Error if other connections keep using the log.
 */
export async function truncateLog(database: DatabaseSync, ledgerReserve: LedgerReserve): Promise<void> {
  const tryToEmpty = prepareTruncation(database);
  for (let attempt = 1; !tryToEmpty(); attempt += 1) {
    if (attempt === ATTEMPTS)
      throw new Error("the write-ahead log is in use and may still contain deleted data; try again");
    await wait(RETRY_MS);
  }
  ledgerReserve.renew();
}

/**
 * Returns a function that empties the log, or returns `false` if it is in use. It does not wait for readers: SQLite would
 * hold the write lock during the wait, and block this process.
 */
function prepareTruncation(database: DatabaseSync): () => boolean {
  const checkpoint = prepare<{ busy: number }>(database, "PRAGMA wal_checkpoint(TRUNCATE)");
  const findTimeout = prepare<{ timeout: number }>(database, "PRAGMA busy_timeout");
  return () => {
    const timeoutMs = findTimeout.get()?.timeout ?? 0;
    database.exec("PRAGMA busy_timeout = 0");
    try {
      return checkpoint.get()?.busy === 0;
    } finally {
      database.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
    }
  };
}
