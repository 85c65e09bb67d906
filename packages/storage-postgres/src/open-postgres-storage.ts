import { randomBytes } from "node:crypto";
import type { BeforeMigration, ServerClock, Storage } from "@snap/engine/ports";
import { createBatchSignal } from "./batch-signal.ts";
import { openDatabase, type Database } from "./database.ts";
import { pinKeyFingerprint, replaceKeyFingerprint, type KeyPin } from "./key-fingerprint.ts";
import { migrate } from "./migrate.ts";
import { detectPooler, type PoolMode } from "./pooler.ts";
import { createAccountStore } from "./stores/accounts.ts";
import { createAuditStore } from "./stores/audit.ts";
import { createBatchStore } from "./stores/batches.ts";
import { createDocumentStore } from "./stores/documents.ts";
import { createHistoryStore } from "./stores/history.ts";
import { createLedger } from "./stores/ledger.ts";
import { createSignInStore } from "./stores/sign-ins.ts";
import { createTokenStore } from "./stores/tokens.ts";
import { requireNoOpenMove } from "./transfer/moves.ts";

/** The ports that need no database: cached renderings, rate limits, render leases, and the clocks to compare. */
export type SharedCache = Pick<Storage, "renderings" | "rateLimiter" | "renderLeases" | "clocks"> & {
  close(): Promise<void>;
};

export interface PostgresStorageOptions {
  /** In the form `postgres://user:password@host:port/database`. The role needs the right to create schemas. */
  readonly url: string;
  /** From `@snap/storage-redis`, or your own; closed together with the storage. */
  readonly cache: SharedCache;
  /** Maximum connections, in addition to one that listens for batches; 10 by default. */
  readonly maxConnections?: number;
  /** Called when an idle connection is lost, or the one that listens for batches is lost or cannot be opened. */
  readonly onBackgroundError?: (error: unknown) => void;
  /** Called on opening with the mode of the connection pooler, such as PgBouncer, if the URL points to one. */
  readonly onPooler?: ((mode: PoolMode) => void) | undefined;
  /** Called when a statement or a transaction has to wait, because all `maxConnections` are in use. */
  readonly onConnectionWait?: (() => void) | undefined;
  /** Called before the schema of an older release is migrated. If it throws, nothing is changed. */
  readonly beforeMigration?: BeforeMigration | undefined;
  /** Called before the schema is created in an empty database. If it throws, nothing is created. */
  readonly beforeCreation?: (() => void) | undefined;
}

export interface PostgresStorage extends Storage, KeyPin {}

/**
 * Opens a storage that any number of machines share. Accounts, tokens, credits, batches, documents, the history,
 * sign-ins and the audit log are in PostgreSQL 15 or newer, in the schema `snap`, which it creates and migrates if
 * needed; `cache` stores the rest. `kill -9` of any process loses no acknowledged write and leaves no partial one.
 *
 * The URL can point to a connection pooler in session or transaction mode. In transaction mode, notifications do not
 * arrive, so `batches.watch` never wakes its caller.
 *
 * Lost connections are reopened, and idempotent statements are retried for about six seconds. After that, methods
 * reject with the error of `pg` until the server is back.
 *
 * @throws Error if the server is unreachable or rejects the connection, if its pooler cannot keep a transaction
 * together, if the schema is from a newer release, or if a data migration into the database is unfinished.
 *
 * @example
 * const cache = await openRedisCache({ url: "redis://cache" });
 * const storage = await openPostgresStorage({ url: "postgres://snap@db/snap", cache });
 * const engine = createEngine({ storage, renderer, secretKey });
 * await engine.close();
 */
export async function openPostgresStorage(options: PostgresStorageOptions): Promise<PostgresStorage> {
  const { url, cache, maxConnections = 10, onBackgroundError = () => {} } = options;
  const poolMode = await detectPooler(url);
  const connectionOptions = { url, isPooled: poolMode !== null, onBackgroundError };
  const { onConnectionWait = () => {} } = options;
  // no timeout for a migration, or for the wait while another process is migrating
  const migrationDatabase = openDatabase({ ...connectionOptions, maxConnections: 1, statementTimeoutMs: 0 });
  try {
    const { beforeMigration = () => {}, beforeCreation = () => {} } = options;
    await migrate(migrationDatabase, { beforeMigration, beforeCreation });
    await requireNoOpenMove(migrationDatabase);
  } finally {
    await migrationDatabase.close();
  }
  if (poolMode !== null) options.onPooler?.(poolMode);
  const database = openDatabase({ ...connectionOptions, maxConnections, onConnectionWait });
  const signal = createBatchSignal({ url, canListen: poolMode !== "transaction", onBackgroundError });
  return {
    accounts: createAccountStore(database),
    tokens: createTokenStore(database),
    ledger: createLedger(database),
    batches: createBatchStore(database, signal),
    documents: createDocumentStore(database),
    audit: createAuditStore(database),
    history: createHistoryStore(database),
    signIns: createSignInStore(database),
    renderings: cache.renderings,
    rateLimiter: cache.rateLimiter,
    renderLeases: cache.renderLeases,
    clocks: [createServerClock(database), ...(cache.clocks ?? [])],
    lastBackupAt: async () => null, // backups are made with PostgreSQL's tools
    check: createWriteCheck(database),
    pinKeyFingerprint: (fingerprint) => pinKeyFingerprint(database, fingerprint),
    replaceKeyFingerprint: (fingerprint) => replaceKeyFingerprint(database, fingerprint),
    async close() {
      await signal.close();
      await Promise.all([database.close(), cache.close()]);
    },
  };
}

function createServerClock({ queryOnce }: Database): ServerClock {
  return {
    name: "PostgreSQL",
    async now() {
      const [row] = await queryOnce<{ now: number }>(
        "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::BIGINT AS now",
        [],
      );
      return row?.now ?? null;
    },
  };
}

/** Large enough to allocate pages, small enough to write every second; random, because PostgreSQL compresses text. */
const FILLER = randomBytes(6 * 1024).toString("base64");

/** Checks that a write succeeds, without retries. */
function createWriteCheck({ queryOnce }: Database): () => Promise<void> {
  return async () => {
    const [row] = await queryOnce<{ id: number }>(
      "INSERT INTO snap.write_checks (filler) VALUES ($1) RETURNING id",
      [FILLER],
    );
    await queryOnce("DELETE FROM snap.write_checks WHERE id = $1", [row?.id]);
  };
}
