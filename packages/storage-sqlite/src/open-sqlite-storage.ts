import { statSync } from "node:fs";
import type { BeforeMigration, Eviction, Storage } from "@snap/engine/ports";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { readLastBackup } from "./backup/last-backup.ts";
import { openDatabase } from "./database.ts";
import { lockFolder } from "./folder-lock.ts";
import { openDocumentFiles, openRenderingFiles } from "./body-files.ts";
import { createCacheSpace } from "./cache/cache-space.ts";
import { createLedgerReserve, type LedgerReserve } from "./ledger-reserve.ts";
import { createAccountStore } from "./stores/accounts.ts";
import { createAuditStore } from "./stores/audit.ts";
import { createBatchStore } from "./stores/batches.ts";
import { createDocumentStore } from "./stores/documents.ts";
import { createHistoryStore } from "./stores/history.ts";
import { createDeletions } from "./stores/deletions.ts";
import { createRateLimiter } from "./stores/rate-limiter.ts";
import { prepareLedgerStatements } from "./stores/ledger-statements.ts";
import { createLedger } from "./stores/ledger.ts";
import { createRenderingStore } from "./stores/renderings.ts";
import { createSignInStore } from "./stores/sign-ins.ts";
import { createTokenStore } from "./stores/tokens.ts";
import { withoutOverwriting } from "./transaction.ts";

export type SqliteStorageOptions = {
  /**
   * How long a write waits for another process's lock, in milliseconds; 1,000 by default. The wait blocks the whole
   * process.
   */
  readonly busyTimeoutMs?: number;
  /**
   * Quota of cached renderings; each counts as its size plus 4,096 bytes. By default half of the sum of
   * their size and the free disk space.
   */
  readonly cacheMaxBytes?: number | null;
  /** Free disk space that renderings and documents must leave; 256 MiB by default. */
  readonly diskReserveBytes?: number;
  /** Called when renderings are evicted, or do not fit. If it throws, the call that evicted them rejects. */
  readonly onEvicted?: ((eviction: Eviction) => void) | undefined;
  /** Whether this is the folder's only service: a second one is rejected; `false` by default. */
  readonly isService?: boolean;
  /** Called before a database from an older release is copied and migrated. If it throws, nothing is changed. */
  readonly beforeMigration?: BeforeMigration | undefined;
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

const DISK_RESERVE_BYTES = 256 * 1024 * 1024;

/**
 * Opens the embedded storage: one SQLite file, with a `-wal` and a `-shm` file while it is open, an empty `.lock`
 * file, a `.holder` file while a service has it open, and directories `-renderings` and `-documents` with a file for
 * the bytes of each cached rendering and each document. Several processes on one machine can have it open; it must be
 * on a local disk. `kill -9` loses no acknowledged write and leaves no partial one. A power failure can leave the last
 * renders uncharged and uncached, and lose the latest history, but loses no accounts, tokens or documents, and no
 * accepted or finished batches.
 *
 * While the disk is full, nothing is cached, no document can be stored, no history is recorded, and everything else
 * continues in 6 MiB that the database reserves. When this space is used up, or while another process
 * holds the lock for longer than `busyTimeoutMs`, methods that write reject with the error of
 * `node:sqlite`; they succeed again afterwards.
 *
 * A database from an older release is migrated. A copy of the file, without the directories, remains next to
 * it, such as `snap.db.schema-4`: older releases cannot open the migrated one.
 *
 * @throws TypeError without a `directory` or a `filename`.
 * @throws Error if the file cannot be opened, belongs to another program, or was written by a newer release (code
 * `schema_newer`), or while the folder is being restored or, with `isService`, is in use by another service
 * (`folder_in_use`).
 *
 * @example
 * const storage = await openSqliteStorage({ directory: "./data" });
 * const engine = createEngine({ storage, renderer, secretKey });
 * await engine.close();
 */
export async function openSqliteStorage(options: SqliteStorageOptions): Promise<Storage> {
  const filename = filenameOf(options);
  const { busyTimeoutMs = 1000, beforeMigration = () => {} } = options;
  const lock = lockFolder(filename, {
    use: options.isService === true ? "service" : "shared",
    timeoutMs: busyTimeoutMs,
  });
  const opened: DatabaseSync[] = [];
  const close = (): void => {
    for (const database of opened) if (database.isOpen) database.close();
    lock.release();
  };
  try {
    const database = await openDatabase({ filename, busyTimeoutMs, beforeMigration });
    opened.push(database);
    const ledgerReserve = createLedgerReserve(database, filename);
    const ledger = prepareLedgerStatements(database);
    const deletions = createDeletions(database);
    const files = openRenderingFiles(filename);
    const space = createCacheSpace(database, {
      files,
      directory: dirname(filename),
      cacheMaxBytes: options.cacheMaxBytes ?? null,
      diskReserveBytes: options.diskReserveBytes ?? DISK_RESERVE_BYTES,
      onEvicted: options.onEvicted ?? (() => {}),
    });
    return {
      accounts: createAccountStore(database, { deletions, ledgerReserve }),
      tokens: createTokenStore(database),
      ledger: createLedger(database, { statements: ledger, deletions }),
      renderings: createRenderingStore(database, { files, space, ledgerReserve, deletions }),
      documents: createDocumentStore(database, { files: openDocumentFiles(filename), space, deletions }),
      rateLimiter: createRateLimiter(database),
      batches: createBatchStore(database, { ledger, deletions }),
      lastBackupAt: async () => readLastBackup(database),
      audit: createAuditStore(database),
      history: createHistoryStore(database, { deletions, ledgerReserve }),
      signIns: createSignInStore(database),
      check: createCheck(database, { filename, ledgerReserve }),
      close: async () => close(),
    };
  } catch (error) {
    close();
    throw error;
  }
}

/** Callers without type checks may pass neither; a file would then get the name `undefined`. */
function filenameOf(options: SqliteStorageOptions): string {
  const filename = "directory" in options ? options.directory : options.filename;
  if (typeof filename !== "string") throw new TypeError("openSqliteStorage needs a directory or a filename");
  return "directory" in options ? join(filename, "snap.db") : filename;
}

/** Large enough to allocate pages, small enough to write every second. */
const FILLER_BYTES = 64 * 1024;

/**
 * Checks that the file is still in place, and that a write succeeds. Both statements commit: a rolled-back write never
 * reaches the disk, and an update in place allocates nothing, so neither would detect a full disk.
 */
function createCheck(
  database: DatabaseSync,
  { filename, ledgerReserve }: { readonly filename: string; readonly ledgerReserve: LedgerReserve },
): () => Promise<void> {
  const { ino } = statSync(filename);
  const fill = database.prepare(
    `INSERT OR REPLACE INTO write_checks (id, filler) VALUES (1, zeroblob(${FILLER_BYTES}))`,
  );
  const empty = database.prepare("DELETE FROM write_checks");
  // a corrupt file may still accept a write to an intact page
  const reads = ["accounts", "tokens", "balances", "renderings", "batches", "batch_items", "documents"].map(
    (table) => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`),
  );
  return async () => {
    // writes would go to a file that no longer has a name
    if (statSync(filename, { throwIfNoEntry: false })?.ino !== ino)
      throw new Error(`${filename} was removed or replaced; stop the service, and restore a backup`);
    ledgerReserve.renew();
    fill.run();
    withoutOverwriting(database, () => empty.run());
    for (const read of reads) read.get();
  };
}
