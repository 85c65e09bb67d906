import type { Storage } from "@snap/engine";
import type { BeforeMigration, Eviction, SchemaMigration, TransferSource } from "@snap/engine/ports";
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
import { mkdir } from "node:fs/promises";
import { AdvisedError } from "./advised-error.ts";
import type { Config } from "./config.ts";
import { messageOf } from "./config/message-of.ts";
import { readSecretKey, requireSameKey } from "./config/secret-key.ts";
import { adviceOf, explainDataDirError } from "./data-dir-error.ts";

/*
 * The only file that chooses the storage: the data folder, or PostgreSQL and Redis.
 */

/** The fingerprint of the secret key that the processes of one database share. */
export type KeyMark = Pick<PostgresTarget, "pinKeyFingerprint" | "replaceKeyFingerprint">;

export interface OpenedStorage {
  readonly storage: Storage;
  /** Encrypts the signing secrets in the storage. */
  readonly secretKey: string;
  /** `null` for a data folder, whose processes read one key file. */
  readonly keyMark: KeyMark | null;
}

export interface StorageParts {
  /** Called when Redis or PostgreSQL fails while nothing waits for it. */
  readonly onBackgroundError?: (error: unknown) => void;
  /** Called when Redis is reachable again after `onBackgroundError` reported that it was not. */
  readonly onRedisRecovered?: () => void;
  /** Called on opening if PostgreSQL is behind a connection pooler. */
  readonly onPooler?: ((mode: PoolMode) => void) | undefined;
  /** Whether to refuse to open while Redis cannot be reached; `false` by default. */
  readonly needsRedis?: boolean;
  /** Called when a statement has to wait, because all connections to PostgreSQL are in use. */
  readonly onConnectionWait?: () => void;
  /** Called when this process evicts cached renderings before they expire. */
  readonly onEvicted?: (eviction: Eviction) => void;
  /** Called before the schema is created in an empty PostgreSQL database. If it throws, the database stays empty. */
  readonly beforeCreation?: (() => void) | undefined;
  /** Whether this process is the service, of which a data folder has only one; `false` by default. */
  readonly isService?: boolean | undefined;
  readonly beforeMigration: BeforeMigration;
  /** Whether to create a missing key file even if the folder contains a database. */
  readonly isKeyLost?: boolean;
}

/** Opens the configured storage; creates it if it does not exist. */
export function openStorage(config: Config, parts: StorageParts): Promise<OpenedStorage> {
  return config.shared === null
    ? openEmbeddedStorage(config, parts)
    : openSharedStorage({ ...config, ...config.shared }, parts);
}

/** Creates the data folder if it does not exist and, unless `secretKey` is set, the key file of a new folder. */
function openEmbeddedStorage(
  { dataDir: directory, secretKey, cacheMaxBytes, diskReserveBytes }: Config,
  { onEvicted, beforeMigration, isKeyLost, isService = false }: StorageParts,
): Promise<OpenedStorage> {
  return withDataDirErrors(directory, async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (secretKey !== null) await requireSameKey(directory, secretKey);
    return {
      secretKey: secretKey ?? (await readSecretKey(directory, { isLost: isKeyLost === true })),
      keyMark: null,
      storage: await openSqliteStorage({
        directory,
        cacheMaxBytes,
        diskReserveBytes,
        onEvicted,
        beforeMigration,
        isService,
      }),
    };
  });
}

async function openSharedStorage(
  { databaseUrl, redisUrl, cacheMaxBytes, ...config }: Config & NonNullable<Config["shared"]>,
  { onBackgroundError = () => {}, onPooler, onConnectionWait, ...parts }: StorageParts,
): Promise<OpenedStorage> {
  const { beforeMigration, beforeCreation } = parts;
  // The embedded storage does not need it.
  const { openPostgresStorage } = await import("@snap/storage-postgres");
  const cache = await openSharedCache({ redisUrl, cacheMaxBytes }, { ...parts, onBackgroundError });
  const storage = await openPostgresStorage({
    url: databaseUrl,
    cache,
    onBackgroundError,
    onPooler,
    onConnectionWait,
    beforeMigration,
    beforeCreation,
  }).catch(async (error: unknown) => {
    await cache.close();
    if (error instanceof AdvisedError) throw error;
    throw adviceOf(error) ?? new Error(`SNAP_DATABASE_URL: ${messageOf(error)}`, { cause: error });
  });
  return { storage, secretKey: config.secretKey ?? "", keyMark: storage };
}

/** Opens the cache in Redis alone, without PostgreSQL. */
export async function openSharedCache(
  { redisUrl, cacheMaxBytes }: { readonly redisUrl: string; readonly cacheMaxBytes: number | null },
  {
    onBackgroundError = () => {},
    onRedisRecovered = () => {},
    needsRedis = false,
    onEvicted,
  }: Pick<StorageParts, "onBackgroundError" | "onRedisRecovered" | "needsRedis" | "onEvicted">,
): Promise<RedisCache> {
  const { openRedisCache, RedisUnreachableError } = await import("@snap/storage-redis");
  return openRedisCache({
    url: redisUrl,
    cacheMaxBytes,
    isRequired: needsRedis,
    onEvicted,
    onError: onBackgroundError,
    onBack: onRedisRecovered,
  }).catch((error: unknown) => {
    const way = error instanceof RedisUnreachableError ? OPTIONAL_REDIS : "";
    throw new Error(`SNAP_REDIS_URL: ${messageOf(error)}${way}`, { cause: error });
  });
}

const OPTIONAL_REDIS =
  "; or set SNAP_REDIS_OPTIONAL=on to start without it, sharing neither rate limits nor cached renderings until it is back";

/** Says what to do about errors of the data folder. */
async function withDataDirErrors<T>(directory: string, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw explainDataDirError(error, directory);
  }
}

/** Opens the data folder to move from, and locks the folder until the source is closed. */
export function openMoveSource(dataDir: string): Promise<TransferSource> {
  return openSqliteSource({ directory: dataDir });
}

/** Copies the database of the data folder for a backup, while the service may run. */
export function openSnapshot(
  { dataDir: directory }: Pick<Config, "dataDir">,
  options: Pick<SqliteSnapshotOptions, "workDirectory" | "includesRenderings" | "now">,
): Promise<SqliteSnapshot> {
  return withDataDirErrors(directory, () =>
    openSqliteSnapshot({ ...options, directory, beforeMigration: refuseMigration }),
  );
}

/** Locks the data folder to restore a backup. */
export function openRestore(
  { dataDir: directory }: Pick<Config, "dataDir">,
  options: { readonly replaces: boolean },
): Promise<SqliteRestore> {
  return withDataDirErrors(directory, () => openSqliteRestore({ ...options, directory }));
}

/** Opens the database to move into. */
export async function openMoveTarget(databaseUrl: string): Promise<PostgresTarget> {
  const { openPostgresTarget } = await import("@snap/storage-postgres");
  return openPostgresTarget({ url: databaseUrl });
}

/** Migrations cannot be undone, so only `serve` and `database upgrade` migrate. */
export function refuseMigration({ from, to }: SchemaMigration): never {
  throw new AdvisedError(
    "schema_older",
    `the database has schema version ${from}; this release would migrate ${from} to ${to}, which older releases cannot open`,
    "run `snap-server database upgrade`, or start the service with this release",
  );
}
