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
   * How long a write waits for the lock of another process, in milliseconds; 1,000 by default. The wait blocks the whole
   * process.
   */
  readonly busyTimeoutMs?: number;
} & (
  | {
      /** Directory of the file `snap.db`; created if missing, accessible only to its owner. */
      readonly directory: string;
    }
  | {
      /** The file itself. */
      readonly filename: string;
    }
);

/**
 * Opens the embedded storage: one SQLite file, with a `-wal` and a `-shm` file while it is open. Several processes on one
 * machine can have it open; the file must be on a local disk. `kill -9` loses no confirmed write and leaves no partial
 * one. A power failure may leave the last renders uncharged and uncached, but loses no accounts, tokens, accepted or
 * finished batches.
 *
 * Methods reject with the error of `node:sqlite` while the disk is full or another process holds the lock for longer than
 * `busyTimeoutMs`, and recover afterwards.
 *
 * @throws Error if the file cannot be opened, belongs to another program, or was written by a newer release.
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

/** Large enough to allocate pages, small enough to write every second. */
const FILLER_BYTES = 64 * 1024;

/**
 * Checks that a write succeeds. Both statements commit: a rolled-back write never reaches the disk, and an update in place
 * allocates nothing, so neither would detect a full disk.
 */
function createWriteCheck(database: DatabaseSync): () => Promise<void> {
  const fill = database.prepare(
    `INSERT OR REPLACE INTO write_checks (id, filler) VALUES (1, zeroblob(${FILLER_BYTES}))`,
  );
  const empty = database.prepare("DELETE FROM write_checks");
  // a corrupt file may still accept a write to an intact page
  const reads = ["accounts", "tokens", "balances", "renderings", "batches", "batch_items"].map((table) =>
    database.prepare(`SELECT 1 FROM ${table} LIMIT 1`),
  );
  return async () => {
    fill.run();
    empty.run();
    for (const read of reads) read.get();
  };
}
