import type { Storage } from "@snap/engine/ports";
import { createBatchSignal } from "./batch-signal.ts";
import { openDatabase, type Database } from "./database.ts";
import { claimKeyMark, type KeyMarked } from "./key-mark.ts";
import { migrate } from "./migrate.ts";
import { createAccountStore } from "./stores/accounts.ts";
import { createBatchStore } from "./stores/batches.ts";
import { createLedger } from "./stores/ledger.ts";
import { createTokenStore } from "./stores/tokens.ts";
import { requireNoOpenMove } from "./transfer/moves.ts";

/** What needs no database: renderings, request budgets, and which renders are under way. */
export type SharedCache = Pick<Storage, "renderings" | "rateLimiter" | "renderLeases"> & {
  close(): Promise<void>;
};

export interface PostgresStorageOptions {
  /** As `postgres://user:password@host:port/database`. The role may make schemas in it. */
  readonly url: string;
  /** Of `@snap/storage-redis`, or your own; closed together with the storage. */
  readonly cache: SharedCache;
  /** Most connections, besides one that listens for batches; 10 by default. */
  readonly maxConnections?: number;
  /** Told of connections that are lost while nobody uses them; what can be repeated is. */
  readonly onBackgroundError?: (error: unknown) => void;
}

export interface PostgresStorage extends Storage, KeyMarked {}

/**
 * Opens a storage that any number of machines share: accounts, tokens, credits and batches in PostgreSQL 15
 * or newer, in the schema `snap`, which is created and migrated if needed. After `kill -9`
 * of whatever process nothing that was answered is lost, and nothing is half done.
 *
 * A lost connection is made again, and what may be repeated is, for about six seconds; then methods reject
 * with the error of `pg`, until the server is back.
 *
 * @throws Error when the server can't be reached, refuses, holds the schema of a newer release, or what a move
 * has left unfinished.
 *
 * @example
 * const cache = await openRedisCache({ url: "redis://cache" });
 * const storage = await openPostgresStorage({ url: "postgres://snap@db/snap", cache });
 * const engine = createEngine({ storage, renderer, secretKey });
 * await engine.close();
 */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<PostgresStorage> {
  const { url, cache, maxConnections = 10, onBackgroundError = () => {} } = options;
  // A migration takes as long as it takes, and so does the wait for another process that is at it.
  const unhurried = openDatabase({ url, maxConnections: 1, statementTimeoutMs: 0, onBackgroundError });
  try {
    await migrate(unhurried);
    await requireNoOpenMove(unhurried);
  } finally {
    await unhurried.close();
  }
  const database = openDatabase({ url, maxConnections, onBackgroundError });
  const signal = createBatchSignal({ url, onBackgroundError });
  return {
    accounts: createAccountStore(database),
    tokens: createTokenStore(database),
    ledger: createLedger(database),
    batches: createBatchStore(database, signal),
    renderings: cache.renderings,
    rateLimiter: cache.rateLimiter,
    renderLeases: cache.renderLeases,
    check: createWriteCheck(database),
    claimKeyMark: (mark) => claimKeyMark(database, mark),
    async close() {
      await signal.close();
      await Promise.all([database.close(), cache.close()]);
    },
  };
}

/** Enough to need room of its own on the disk, little enough to be asked for every second. */
const FILLER = "0".repeat(8 * 1024);

/** A check that really writes, and doesn't wait for a server that is away. */
function createWriteCheck({ queryOnce }: Database): () => Promise<void> {
  return async () => {
    const [row] = await queryOnce<{ id: number }>(
      "INSERT INTO snap.write_checks (filler) VALUES ($1) RETURNING id",
      [FILLER],
    );
    await queryOnce("DELETE FROM snap.write_checks WHERE id = $1", [row?.id]);
  };
}
