import type { DatabaseSync } from "node:sqlite";

/**
 * Runs `work` in a transaction that holds the write lock from the start: what it reads cannot change before it writes.
 * Another process's lock can make it fail at the start, but not halfway. Rolls back if `work` throws.
 */
export function transact<T>(database: DatabaseSync, work: () => T): T {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // after some errors, such as a full disk, SQLite has already rolled back
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Runs `work`, one statement or transaction, whose writes then survive a power failure. Syncs the
 * whole write-ahead log, so all earlier writes also survive.
 */
export function durably<T>(database: DatabaseSync, work: () => T): T {
  database.exec("PRAGMA synchronous = FULL");
  try {
    return work();
  } finally {
    database.exec("PRAGMA synchronous = NORMAL");
  }
}

/** Runs `work` in a transaction that survives a power failure. */
export function transactDurably<T>(database: DatabaseSync, work: () => T): T {
  return durably(database, () => transact(database, work));
}

/** Runs `work` without `secure_delete`, for rows that contain only zeros: these need not be overwritten. */
export function withoutOverwriting(database: DatabaseSync, work: () => void): void {
  database.exec("PRAGMA secure_delete = OFF");
  try {
    work();
  } finally {
    database.exec("PRAGMA secure_delete = ON");
  }
}
