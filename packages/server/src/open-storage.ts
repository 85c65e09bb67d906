import { createObjectRenderings, type Storage } from "@snap/engine";
import { isKeyOf, messageOf } from "@snap/engine/internals";
import type {
  BeforeMigration,
  Eviction,
  ObjectBucket,
  SchemaMigration,
  TransferSource,
} from "@snap/engine/ports";
import type { PoolMode, PostgresTarget } from "@snap/storage-postgres";
import type { RedisCache } from "@snap/storage-redis";
import {
  openSqliteRestore,
  openSqliteSnapshot,
  openSqliteSource,
  openSqliteStorage,
  type SqliteRestore,
  type SqliteSnapshot,
  type SqliteSnapshotOptions,
} from "@snap/storage-sqlite";
import type { Config } from "./config.ts";
import { keySourceOf, readSecretKey, requireSameKey, wrongKeyError } from "./config/secret-key.ts";
import { asOperatorError, explainDataDirError, isDiskFullError } from "./data-dir-error.ts";
import { makeFolder, requireDatabase } from "./data-folder.ts";
import { OperatorError } from "./operator-error.ts";

/*
 * The only file that chooses the storage: the data folder, or PostgreSQL and Redis; and an object store for large cached
 * renderings.
 */

/** Pins the fingerprint of the secret key for all processes that use one database. */
export type KeyPin = Pick<PostgresTarget, "pinKeyFingerprint" | "replaceKeyFingerprint">;

export interface OpenedStorage {
  readonly storage: Storage;
  /** Encrypts the signing secrets in the storage. */
  readonly secretKey: string;
  /** `null` for a data folder, whose processes read one key file. */
  readonly keyPin: KeyPin | null;
}

export interface StorageOptions {
  /** Where renderings over 32 KiB are cached; by default, the storage caches them like smaller ones. */
  readonly bucket?: ObjectBucket | undefined;
  /** Called when the bucket works again after `onBackgroundError` reported that it did not. */
  readonly onBucketRecovered?: () => void;
  /**
   * Called when the bucket starts to fail, when an idle connection to PostgreSQL is lost, or when the connection that
   * listens for batches is lost or cannot be opened.
   */
  readonly onBackgroundError?: (error: unknown) => void;
  /** Called when Redis starts to fail; `onBackgroundError` by default. */
  readonly onRedisError?: (error: unknown) => void;
  /** Called when Redis is reachable again after it failed. */
  readonly onRedisRecovered?: () => void;
  /** Called on opening if PostgreSQL is behind a connection pooler. */
  readonly onPooler?: ((mode: PoolMode) => void) | undefined;
  /** Whether to refuse to open while Redis cannot be reached; `false` by default. */
  readonly needsRedis?: boolean;
  /** Called when a statement has to wait, because all connections to PostgreSQL are in use. */
  readonly onConnectionWait?: () => void;
  /** Called when this process evicts cached renderings before they expire. */
  readonly onEvicted?: (eviction: Eviction) => void;
  /**
   * Called before the schema is created in an empty PostgreSQL database, which is then allowed even
   * without `createsDatabase`. If it throws, the database stays empty.
   */
  readonly beforeCreation?: (() => void) | undefined;
  /** Whether to lock the data folder for a service; only one service can lock it. `false` by default. */
  readonly isService?: boolean | undefined;
  readonly beforeMigration: BeforeMigration;
  /**
   * Whether a new data folder gets a database and a key file, and an empty PostgreSQL database its tables; `false` by
   * default, because the path or the URL might be mistyped.
   */
  readonly createsDatabase?: boolean | undefined;
  /** `required` by default. */
  readonly keyUse?: KeyUse | undefined;
}

/**
 * How the secret key is used. `required`: it must decrypt the newest signing secret before a migration. `replaced`: it
 * is lost, so a missing key file is created even if the folder contains a database. `unused`: nothing is decrypted, so
 * it may be missing or wrong, but not unreadable.
 */
export type KeyUse = "required" | "replaced" | "unused";

/** Placeholder for a missing key that is not used. */
export const NO_KEY = "no key, nothing to decrypt";

/** Opens the configured storage. Rejects a new data folder or an empty PostgreSQL database unless `options` allow it. */
export async function openStorage(config: Config, options: StorageOptions): Promise<OpenedStorage> {
  const opened = await (config.shared === null
    ? openEmbeddedStorage(config, options)
    : openSharedStorage({ ...config, ...config.shared }, options));
  const { bucket, onBackgroundError: onError, onBucketRecovered: onRecovered } = options;
  if (bucket === undefined) return opened;
  const { storage } = opened;
  const { maxRenderingBytes } = config;
  const index = storage.renderings;
  const renderings = createObjectRenderings({ index, bucket, maxRenderingBytes, onError, onRecovered });
  return { ...opened, storage: { ...storage, renderings } };
}

function openEmbeddedStorage(config: Config, options: StorageOptions): Promise<OpenedStorage> {
  const { dataDir: directory, cacheMaxBytes, diskReserveBytes } = config;
  const { onEvicted, isService = false, createsDatabase = false } = options;
  return withDataDirErrors(directory, async () => {
    await requireDatabase(directory, { createsDatabase });
    await makeFolder(directory);
    if (config.secretKey !== null) await requireSameKey(directory, config.secretKey);
    const secretKey = config.secretKey ?? (await readKeyFile(directory, options));
    return {
      secretKey,
      keyPin: null,
      storage: await openSqliteStorage({
        directory,
        cacheMaxBytes,
        diskReserveBytes,
        onEvicted,
        beforeMigration: withKeyCheck(options, { secretKey, source: keySourceOf(config) }),
        isService,
      }),
    };
  });
}

async function readKeyFile(directory: string, { keyUse }: StorageOptions): Promise<string> {
  return readSecretKey(directory, { isLost: keyUse === "replaced" }).catch((error: unknown) => {
    const isMissing = error instanceof OperatorError && error.code === "secret_key_missing";
    if (isMissing && keyUse === "unused") return NO_KEY;
    throw error;
  });
}

/** Checks the key before a migration, which cannot be undone. */
function withKeyCheck(
  { keyUse = "required", beforeMigration }: Pick<StorageOptions, "keyUse" | "beforeMigration">,
  { secretKey, source }: { readonly secretKey: string; readonly source: string },
): BeforeMigration {
  return (migration, newestSealedSecret) => {
    if (keyUse === "required" && newestSealedSecret !== null && !isKeyOf(newestSealedSecret, secretKey))
      throw wrongKeyError(source);
    beforeMigration(migration, newestSealedSecret);
  };
}

async function openSharedStorage(
  { databaseUrl, redisUrl, cacheMaxBytes, ...config }: Config & NonNullable<Config["shared"]>,
  { onBackgroundError = () => {}, onPooler, onConnectionWait, ...options }: StorageOptions,
): Promise<OpenedStorage> {
  const { keyUse, beforeMigration, beforeCreation } = options;
  const secretKey = config.secretKey ?? "";
  // Loaded lazily: the embedded storage does not need this module.
  const { openPostgresStorage } = await import("@snap/storage-postgres");
  const cache = await openSharedCache(
    { redisUrl, cacheMaxBytes },
    { onRedisError: onBackgroundError, ...options },
  );
  const storage = await openPostgresStorage({
    url: databaseUrl,
    cache,
    onBackgroundError,
    onPooler,
    onConnectionWait,
    beforeMigration: withKeyCheck({ keyUse, beforeMigration }, { secretKey, source: keySourceOf(config) }),
    beforeCreation: beforeCreation ?? (options.createsDatabase === true ? undefined : rejectCreation),
  }).catch(async (error: unknown) => {
    await cache.close();
    if (error instanceof OperatorError) throw error;
    throw asOperatorError(error) ?? new Error(`SNAP_DATABASE_URL: ${messageOf(error)}`, { cause: error });
  });
  return { storage, secretKey, keyPin: storage };
}

/** Opens the cache in Redis alone, without PostgreSQL. */
export async function openSharedCache(
  { redisUrl, cacheMaxBytes }: { readonly redisUrl: string; readonly cacheMaxBytes: number | null },
  {
    onRedisError = () => {},
    onRedisRecovered = () => {},
    needsRedis = false,
    onEvicted,
  }: Pick<StorageOptions, "onRedisError" | "onRedisRecovered" | "needsRedis" | "onEvicted">,
): Promise<RedisCache> {
  const { openRedisCache, RedisUnreachableError } = await import("@snap/storage-redis");
  return openRedisCache({
    url: redisUrl,
    cacheMaxBytes,
    isRequired: needsRedis,
    onEvicted,
    onError: onRedisError,
    onRecovered: onRedisRecovered,
  }).catch((error: unknown) => {
    const alternative = error instanceof RedisUnreachableError ? OPTIONAL_REDIS_ADVICE : "";
    throw new Error(`SNAP_REDIS_URL: ${messageOf(error)}${alternative}`, { cause: error });
  });
}

const OPTIONAL_REDIS_ADVICE =
  "; or set SNAP_REDIS_OPTIONAL=on to start without it, sharing neither rate limits nor cached renderings until it is back";

/** Adds advice to errors about the data folder. */
export async function withDataDirErrors<T>(directory: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainDataDirError(error, directory);
  }
}

/** Opens the data folder to move from, and locks the folder until the source is closed. */
export function openMoveSource(directory: string): Promise<TransferSource> {
  return withDataDirErrors(directory, () => openSqliteSource({ directory }));
}

/**
 * Copies the data folder's database for a backup, even while the service is running. Adds no advice to the error of a
 * full disk: the copy may be on another disk.
 */
export async function openSnapshot(
  { dataDir: directory }: Pick<Config, "dataDir">,
  options: Pick<SqliteSnapshotOptions, "workDirectory" | "includesRenderings" | "now">,
): Promise<SqliteSnapshot> {
  try {
    return await openSqliteSnapshot({ ...options, directory, beforeMigration: rejectMigration });
  } catch (error) {
    throw isDiskFullError(error) ? error : explainDataDirError(error, directory);
  }
}

/** Locks the data folder to restore a backup. */
export function openRestore(
  { dataDir: directory }: Pick<Config, "dataDir">,
  options: { readonly replaces: boolean },
): Promise<SqliteRestore> {
  return withDataDirErrors(directory, async () => {
    await makeFolder(directory);
    return openSqliteRestore({ ...options, directory });
  });
}

/** Opens the database to move into. */
export async function openMoveTarget(databaseUrl: string): Promise<PostgresTarget> {
  const { openPostgresTarget } = await import("@snap/storage-postgres");
  return openPostgresTarget({ url: databaseUrl });
}

/**
 * Besides `migrate`, only `serve`, `accounts create` and `database upgrade` create tables: the URL might name
 * the wrong database.
 */
function rejectCreation(): never {
  throw new OperatorError(
    "database_empty",
    "the PostgreSQL database has no tables",
    "set SNAP_DATABASE_URL to the service's database; the tables of a new one are created by `snap-server serve`, " +
      "`snap-server accounts create` and `snap-server database upgrade`",
  );
}

/** Migrations cannot be undone, so only `serve` and `database upgrade` migrate. */
export function rejectMigration({ from, to }: SchemaMigration): never {
  throw new OperatorError(
    "schema_older",
    `the database has schema version ${from}; this release would migrate it to version ${to}, which older releases cannot open`,
    "run `snap-server database upgrade`, or start the service with this release",
  );
}
