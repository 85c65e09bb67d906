import type { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import type { LedgerReserve } from "./ledger-reserve.ts";
import { prepare } from "./prepare.ts";

const ATTEMPTS = 100;
const RETRY_MS = 20;

/**
 * Empties the write-ahead log, which still contains pages from before a deletion; in the database, deleted rows are
 * overwritten with zeros (`secure_delete`).
 *
 * @throws Error if other processes keep reading the log.
 */
export async function eraseLog(database: DatabaseSync, ledgerReserve: LedgerReserve): Promise<void> {
  const checkpoint = prepare<{ busy: number }>(database, "PRAGMA wal_checkpoint(TRUNCATE)");
  for (let attempt = 1; checkpoint.get()?.busy !== 0; attempt += 1) {
    if (attempt === ATTEMPTS)
      throw new Error("the write-ahead log is in use and may still contain deleted data; try again");
    await wait(RETRY_MS);
  }
  ledgerReserve.renew();
}
