import type { Storage } from "@snap/engine/ports";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { openDatabase } from "./database.ts";
import { createAccountStore } from "./stores/accounts.ts";
import { createBatchStore } from "./stores/batches.ts";
import { createRateLimiter } from "./stores/rate-limiter.ts";
import { prepareLedgerStatements } from "./stores/ledger-statements.ts";
import { createLedger } from "./stores/ledger.ts";
import { createRenderingStore } from "./stores/renderings.ts";
import { createTokenStore } from "./stores/tokens.ts";

export type SqliteStorageOptions = {
  /**
   * How long a write waits for another process that is writing, in milliseconds; 1,000 unless
   * given. The whole process stands still meanwhile.
   */
  readonly busyTimeoutMs?: number;
} & (
  | {
      /** Folder of the file `snap.db`; made, open to its owner only, when it is missing. */
      readonly directory: string;
    }
  | {
      /** The file itself. */
      readonly filename: string;
    }
);

/**
 * Opens the embedded storage: everything durable in one SQLite file, beside which SQLite keeps its
 * `-wal` and `-shm` while it is open. Several processes on one machine may have it open; the file
 * must be on a local disk. After `kill -9` nothing that was answered is lost, and nothing is half
 * done. After a loss of power the last renders may be uncharged and uncached, while accounts,
 * tokens, accepted batches and finished ones are as they were answered.
 *
 * Methods reject with the error of `node:sqlite` while the disk is full or another process holds
 * the lock for longer than `busyTimeoutMs`, and work again once that is over.
 *
 * @throws Error when the file can't be opened, is of another program, or of a newer release.
 *
 * @example
 * const storage = await openSqliteStorage({ directory: "./data" });
 * const engine = createEngine({ storage, renderer, secretKey });
 * await engine.close();
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const database = await openDatabase({
    filename: "directory" in options ? join(options.directory, "snap.db") : options.filename,
    busyTimeoutMs: options.busyTimeoutMs ?? 1000,
  });
  const ledgerStatements = prepareLedgerStatements(database);
  return {
    accounts: createAccountStore(database),
    tokens: createTokenStore(database),
    ledger: createLedger(database, ledgerStatements),
    renderings: createRenderingStore(database),
    rateLimiter: createRateLimiter(database),
    batches: createBatchStore(database, ledgerStatements),
    check: createWriteCheck(database),
    async close() {
      if (database.isOpen) database.close();
    },
  };
}

/** Enough to need room of its own on the disk, little enough to be asked for every second. */
const FILLER_BYTES = 64 * 1024;

/**
 * A check that really writes. Both statements commit: what is rolled back never reaches the disk,
 * and a row updated in place needs no room, so neither would notice that the disk is full.
 */
function createWriteCheck(database: DatabaseSync): () => Promise<void> {
  const fill = database.prepare(
    `INSERT OR REPLACE INTO write_checks (id, filler) VALUES (1, zeroblob(${FILLER_BYTES}))`,
  );
  const empty = database.prepare("DELETE FROM write_checks");
  // A damaged file may still take a write in a sound place.
  const reads = ["accounts", "tokens", "balances", "renderings", "batches", "batch_items"].map((table) =>
    database.prepare(`SELECT 1 FROM ${table} LIMIT 1`),
  );
  return async () => {
    fill.run();
    empty.run();
    for (const read of reads) read.get();
  };
}
