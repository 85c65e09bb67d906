import type { DatabaseSync } from "node:sqlite";

/**
 * Runs `work` in a transaction that holds the write lock from its start: what it reads can't change
 * before it writes, and it never has to give up half-way because another process wrote in between.
 * Whatever was written is taken back when `work` throws, or answers `null`.
 */
export function writing<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec(result === null ? "ROLLBACK" : "COMMIT");
    return result;
  } catch (error) {
    // SQLite itself has rolled back after some errors, such as a full disk.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Runs `work`, one write, so that it survives a loss of power too. The write-ahead log is synced as
 * a whole: everything written before is then safe as well.
 */
export function durably<T>(database: DatabaseSync, work: () => T): T {
  database.exec("PRAGMA synchronous = FULL");
  try {
    return work();
  } finally {
    database.exec("PRAGMA synchronous = NORMAL");
  }
}
