import {
  createEngine,
  createSystemResolver,
  SnapError,
  systemResolver,
  type Engine,
  type EngineOptions,
  type Renderer,
  type Resolver,
  type Storage,
} from "@snap/engine";
import { keyFingerprint, steadySlots } from "@snap/engine/internals";
import type {
  BeforeMigration,
  Eviction,
  SchemaMigration,
  TokenRecord,
  TransferSource,
} from "@snap/engine/ports";
import type { PuppeteerRendererOptions } from "@snap/engine/puppeteer";
import type { PoolMode, PostgresTarget } from "@snap/storage-postgres";
import { openSqliteSource, openSqliteStorage } from "@snap/storage-sqlite";
import { mkdir } from "node:fs/promises";
import { AdvisedError } from "./advised-error.ts";
import type { Config } from "./config.ts";
import { messageOf } from "./config/message-of.ts";
import { servicePolicy } from "./target-policy.ts";
import {
  findSecretKey,
  readSecretKey,
  requireSameKey,
  RESTORE_KEY,
  secretKeyPath,
} from "./config/secret-key.ts";

/*
 * The only file that chooses the storage and the renderer behind the ports.
 */

/** A reservation must outlast the wait for a slot, storing and settling, besides the render itself. */
const LEASE_MARGIN_MS = 75_000;

/**
 * Returns the resolver for pages and webhooks. Pages must not reach the service's own sockets. These are blocked by
 * address, so the machine's own resolver always resolves their names, as it does for this process.
 */
export function resolverOf(config: Config): Resolver {
  const { nameServers: servers } = config;
  if (servers === null) return systemResolver;
  const resolver = createSystemResolver({ servers });
  const own = new Set(servicePolicy(config).ownSockets?.map(({ hostname }) => hostname));
  return {
    resolve: (hostname, options) =>
      (own.has(hostname) ? systemResolver : resolver).resolve(hostname, options),
  };
}

/** Creates a renderer with a real browser behind the egress proxy, and starts or connects to the browser at once. */
export async function createRenderer(
  config: Config,
  options: Pick<PuppeteerRendererOptions, "onEvent" | "targets" | "warmContexts">,
): Promise<Renderer> {
  // Commands that do not render must not load the browser driver.
  const { createPuppeteerRenderer } = await import("@snap/engine/puppeteer");
  return createPuppeteerRenderer({
    ...options,
    resolver: resolverOf(config),
    executablePath: config.chromiumPath ?? undefined,
    sandbox: config.sandbox,
    browserUrls: config.browserEndpoints.map(({ url }) => url.href),
    browserProxyHost: config.browserProxyHost ?? undefined,
    browserEgress: config.browserEgress,
    renderTimeoutMs: config.renderTimeoutMs,
    navigationTimeoutMs: config.navigationTimeoutMs,
    maxRenderingBytes: config.maxRenderingBytes,
    ...(config.pageMemoryBytes !== null && { pageMemoryMaxBytes: config.pageMemoryBytes }),
    pageCpuMaxMs: config.pageCpuSeconds * 1000,
    ...(config.isolation === "account" &&
      config.renderConcurrency !== null && { isolatedBrowsersMax: config.renderConcurrency }),
  });
}

type EngineParts = Pick<
  EngineOptions,
  | "renderer"
  | "targets"
  | "baseUrl"
  | "onBackgroundError"
  | "onClockSkew"
  | "onEvent"
  | "onItemFinished"
  | "onDeliveryAttempt"
  | "onQuarantined"
> & {
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
  /** `decrypts` by default. */
  readonly keyCheck?: KeyCheck | undefined;
  /** By default, a database of an older release is refused. */
  readonly beforeMigration?: BeforeMigration | undefined;
};

/**
 * What is checked about the secret key. `none`: nothing. `decrypts`: it decrypts the stored signing secrets. `shared`: it is
 * also the key that the database is used with; required before it encrypts anything.
 */
export type KeyCheck = "none" | "decrypts" | "shared";

/**
 * Opens the engine over the configured storage; creates the storage if it does not exist.
 *
 * @throws AdvisedError
 */
export async function openEngine(
  config: Config,
  { keyCheck = "decrypts", beforeMigration = refuseMigration, ...parts }: EngineParts,
): Promise<Engine> {
  // No renders beyond the slots: idle processors here say nothing about the machines of remote browsers, and a browser
  // for each account takes memory.
  const isBounded = config.browserEndpoints.length > 0 || config.isolation === "account";
  const concurrency = config.renderConcurrency ?? (isBounded ? steadySlots() : null);
  const opened = await openStorage(config, { ...parts, beforeMigration });
  const engine = createEngine({
    ...parts,
    storage: opened.storage,
    secretKey: opened.secretKey,
    resolver: resolverOf(config),
    plans: config.plans,
    maxRenderingBytes: config.maxRenderingBytes,
    isolation: config.isolation,
    reservationLeaseMs: config.renderTimeoutMs + LEASE_MARGIN_MS,
    batchRetentionMs: config.batchRetentionMs,
    batchRetryWindowMs: config.batchRetryWindowMs,
    ...(config.webhookPausesMs === null ? {} : { webhookPausesMs: config.webhookPausesMs }),
    ...(concurrency === null ? {} : { concurrency }),
  });
  try {
    if (keyCheck !== "none") await requireDecryption(engine, config);
    if (keyCheck === "shared") await requireSharedKey(engine, { ...opened, from: keySourceOf(config) });
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** Migrations cannot be undone, so only `serve` and `database upgrade` migrate. */
function refuseMigration({ from, to }: SchemaMigration): never {
  throw new AdvisedError(
    "schema",
    `the database has schema version ${from}; this release would migrate ${from} to ${to}, which older releases cannot open`,
    "run `snap-server database upgrade`, or start the service with this release",
  );
}

/** Returns the name of the variable or the path of the file that the secret key is read from. */
export function keySourceOf({ secretKey, dataDir }: Pick<Config, "secretKey" | "dataDir">): string {
  return secretKey === null ? secretKeyPath(dataDir) : "SNAP_SECRET_KEY";
}

async function requireDecryption({ tokens }: Engine, config: Config): Promise<void> {
  if ((await tokens.checkSecretKey()) === "differs")
    throw new AdvisedError(
      "secret key",
      `${keySourceOf(config)} is not the key that encrypted the stored signing secrets`,
      RESTORE_KEY,
    );
}

async function requireSharedKey(
  { tokens }: Engine,
  { keyMark, secretKey, from }: Omit<OpenedStorage, "storage"> & { readonly from: string },
): Promise<void> {
  if (keyMark === null) return;
  // a key that decrypts is right, even if a process with another key was the first to open the empty database
  if ((await tokens.checkSecretKey()) === "matches")
    await keyMark.replaceKeyFingerprint(keyFingerprint(secretKey));
  else await requireMatchingKey(keyMark, { secretKey, from });
}

/** The fingerprint of the secret key that the processes of one database share. */
type KeyMark = Pick<PostgresTarget, "pinKeyFingerprint" | "replaceKeyFingerprint">;

interface OpenedStorage {
  readonly storage: Storage;
  /** Encrypts the signing secrets in the storage. */
  readonly secretKey: string;
  /** `null` for a data folder, whose processes read one key file. */
  readonly keyMark: KeyMark | null;
}

type StorageParts = Pick<
  EngineParts,
  "onBackgroundError" | "onRedisRecovered" | "onPooler" | "needsRedis" | "onConnectionWait" | "onEvicted"
> & {
  readonly beforeMigration: BeforeMigration;
  /** Whether to create a missing key file even if the folder contains a database. */
  readonly isKeyLost?: boolean;
};

function openStorage(config: Config, parts: StorageParts): Promise<OpenedStorage> {
  return config.shared === null
    ? openEmbeddedStorage(config, parts)
    : openSharedStorage({ ...config, ...config.shared }, parts);
}

/** Creates the data folder if it does not exist and, unless `secretKey` is set, the key file of a new folder. */
async function openEmbeddedStorage(
  { dataDir: directory, secretKey, cacheMaxBytes, diskReserveBytes }: Config,
  { onEvicted, beforeMigration, isKeyLost }: StorageParts,
): Promise<OpenedStorage> {
  await withDataDirErrors(directory, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  if (secretKey !== null) await requireSameKey(directory, secretKey);
  return {
    secretKey: secretKey ?? (await readSecretKey(directory, { isLost: isKeyLost === true })),
    keyMark: null,
    storage: await withDataDirErrors(directory, () =>
      openSqliteStorage({ directory, cacheMaxBytes, diskReserveBytes, onEvicted, beforeMigration }),
    ),
  };
}

async function openSharedStorage(
  { databaseUrl, redisUrl, cacheMaxBytes, ...config }: Config & NonNullable<Config["shared"]>,
  { onBackgroundError = () => {}, onRedisRecovered = () => {}, ...parts }: StorageParts,
): Promise<OpenedStorage> {
  const { onPooler, needsRedis = false, onConnectionWait, onEvicted, beforeMigration } = parts;
  // The embedded storage needs neither package.
  const [{ openPostgresStorage }, { openRedisCache, RedisUnreachableError }] = await Promise.all([
    import("@snap/storage-postgres"),
    import("@snap/storage-redis"),
  ]);
  const cache = await openRedisCache({
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
  const options = { url: databaseUrl, cache, onBackgroundError, onPooler, onConnectionWait, beforeMigration };
  const storage = await openPostgresStorage(options).catch(async (error: unknown) => {
    await cache.close();
    if (error instanceof AdvisedError) throw error;
    throw new Error(`SNAP_DATABASE_URL: ${messageOf(error)}`, { cause: error });
  });
  return { storage, secretKey: config.secretKey ?? "", keyMark: storage };
}

const OPTIONAL_REDIS =
  "; or set SNAP_REDIS_OPTIONAL=on to start without it, sharing neither rate limits nor cached renderings until it is back";

/**
 * Stores the fingerprint of the key if the database has none.
 *
 * @throws AdvisedError if the database is used with a different key.
 */
export async function requireMatchingKey(
  database: KeyMark,
  { secretKey, from }: { readonly secretKey: string; readonly from: string },
): Promise<void> {
  if (await database.pinKeyFingerprint(keyFingerprint(secretKey))) return;
  throw new AdvisedError(
    "secret key",
    `${from} is not the key that this database is used with, and neither decrypts what the other encrypted`,
    "set it to the key of the other processes; if that key is lost, set a new one everywhere and run " +
      "`snap-server secret-key replace`",
  );
}

/** Adds the name of the variable to errors of the data folder. */
async function withDataDirErrors<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AdvisedError) throw error;
    throw new Error(`SNAP_DATA_DIR: cannot use ${directory}: ${messageOf(error)}`, { cause: error });
  }
}

export type AdminParts = Pick<EngineParts, "onBackgroundError" | "onPooler" | "keyCheck" | "beforeMigration">;

/** Opens the engine for the operator's commands: accounts, tokens and credits. A server may run at the same time. */
export function openAdminEngine(config: Config, parts: AdminParts = {}): Promise<Engine> {
  return openEngine(config, { ...parts, renderer: NO_RENDERER });
}

/** Placeholder for a dry run when there is no key. */
const NO_KEY = "no key, only a dry run";

/**
 * Use it after the secret key is lost. Gives a new signing secret to every token whose signing secret the current key
 * cannot decrypt, and returns these tokens. Creates a missing key file. `dryRun` changes nothing.
 */
export async function replaceSecretKey(
  config: Config,
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly TokenRecord[]> {
  const secretKey = dryRun
    ? ((await findSecretKey(config.dataDir, config.secretKey)) ?? NO_KEY)
    : config.secretKey;
  const opened = await openStorage(
    { ...config, secretKey },
    { isKeyLost: true, beforeMigration: refuseMigration },
  );
  const engine = createEngine({ ...opened, renderer: NO_RENDERER });
  try {
    const tokens = await engine.tokens.replaceLostSecrets({ dryRun });
    if (!dryRun) await opened.keyMark?.replaceKeyFingerprint(keyFingerprint(opened.secretKey));
    return tokens;
  } finally {
    await engine.close();
  }
}

/** Opens the data folder to move from, and locks the folder until the source is closed. */
export function openMoveSource(dataDir: string): Promise<TransferSource> {
  return openSqliteSource({ directory: dataDir });
}

/** Opens the database to move into. */
export async function openMoveTarget(databaseUrl: string): Promise<PostgresTarget> {
  const { openPostgresTarget } = await import("@snap/storage-postgres");
  return openPostgresTarget({ url: databaseUrl });
}

const NO_RENDERER: Renderer = {
  render: () => Promise.reject(new SnapError("not_ready", "This command cannot render.")),
  health: () => Promise.resolve({ ready: false, reason: "this command cannot render" }),
  close: () => Promise.resolve(),
};
