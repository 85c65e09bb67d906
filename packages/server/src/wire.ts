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
import type { Eviction, TransferSource } from "@snap/engine/ports";
import type { PuppeteerRendererOptions } from "@snap/engine/puppeteer";
import type { PostgresTarget } from "@snap/storage-postgres";
import { openSqliteSource, openSqliteStorage } from "@snap/storage-sqlite";
import { mkdir } from "node:fs/promises";
import type { Config } from "./config.ts";
import { messageOf } from "./config/message-of.ts";
import { servicePolicy } from "./target-policy.ts";
import { readSecretKey, requireSameKey } from "./config/secret-key.ts";

/*
 * The only file that chooses the storage and the renderer behind the ports.
 */

/** A reservation must outlast the wait for a slot, storing and settling, besides the render itself. */
const LEASE_MARGIN_MS = 75_000;

/**
 * Returns the resolver for pages and webhooks. The service's own sockets are blocked by the addresses at which this
 * process reaches them, so their names are always those of the machine.
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
  | "onItemFinished"
  | "onDeliveryAttempt"
  | "onQuarantined"
> & {
  /** Called when Redis is reachable again after `onBackgroundError` reported that it was not. */
  readonly onRedisRecovered?: () => void;
  /** Called when this process evicts cached renderings before they expire. */
  readonly onEvicted?: (eviction: Eviction) => void;
};

/** Opens the engine over the configured storage; creates the storage if it does not exist. */
export async function openEngine(config: Config, parts: EngineParts): Promise<Engine> {
  // idle processors here say nothing about the machines of remote browsers; a browser for each account takes memory
  const isBounded = config.browserEndpoints.length > 0 || config.isolation === "account";
  const concurrency = config.renderConcurrency ?? (isBounded ? steadySlots() : null);
  return createEngine({
    ...parts,
    ...(await openStorage(config, parts)),
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
}

interface OpenedStorage {
  readonly storage: Storage;
  /** Encrypts the signing secrets in the storage. */
  readonly secretKey: string;
}

function openStorage(config: Config, parts: EngineParts): Promise<OpenedStorage> {
  return config.shared === null
    ? openEmbeddedStorage(config, parts)
    : openSharedStorage({ ...config, ...config.shared }, parts);
}

/** Creates the data folder and the key file if they do not exist. */
async function openEmbeddedStorage(
  { dataDir: directory, secretKey, cacheMaxBytes, diskReserveBytes }: Config,
  { onEvicted }: EngineParts,
): Promise<OpenedStorage> {
  await withDataDirErrors(directory, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  if (secretKey !== null) await requireSameKey(directory, secretKey);
  return {
    secretKey: secretKey ?? (await readSecretKey(directory)),
    storage: await withDataDirErrors(directory, () =>
      openSqliteStorage({ directory, cacheMaxBytes, diskReserveBytes, onEvicted }),
    ),
  };
}

async function openSharedStorage(
  { databaseUrl, redisUrl, cacheMaxBytes, ...config }: Config & NonNullable<Config["shared"]>,
  { onBackgroundError = () => {}, onRedisRecovered = () => {}, onEvicted }: EngineParts,
): Promise<OpenedStorage> {
  const secretKey = config.secretKey ?? "";
  // The embedded storage needs neither package.
  const [{ openPostgresStorage }, { openRedisCache }] = await Promise.all([
    import("@snap/storage-postgres"),
    import("@snap/storage-redis"),
  ]);
  const cache = await openRedisCache({
    url: redisUrl,
    cacheMaxBytes,
    onEvicted,
    onError: onBackgroundError,
    onBack: onRedisRecovered,
  }).catch((error: unknown) => {
    throw new Error(`SNAP_REDIS_URL: ${messageOf(error)}`, { cause: error });
  });
  const storage = await openPostgresStorage({ url: databaseUrl, cache, onBackgroundError }).catch(
    async (error: unknown) => {
      await cache.close();
      throw new Error(`SNAP_DATABASE_URL: ${messageOf(error)}`, { cause: error });
    },
  );
  try {
    await requireMatchingKey(storage, { secretKey, from: "SNAP_SECRET_KEY" });
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { storage, secretKey };
}

/** @throws Error if the database is used with a different key, which cannot decrypt the same secrets. */
export async function requireMatchingKey(
  database: Pick<PostgresTarget, "pinKeyFingerprint">,
  { secretKey, from }: { readonly secretKey: string; readonly from: string },
): Promise<void> {
  if (await database.pinKeyFingerprint(keyFingerprint(secretKey))) return;
  throw new Error(
    `${from} is not the key that this database is used with, and neither decrypts what the other encrypted; set it to ` +
      "the key of the other processes. If that key is lost, set a new one everywhere, empty the table snap.key_mark, " +
      "and rotate every token",
  );
}

/** Adds the name of the variable to errors of the data folder. */
async function withDataDirErrors<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`SNAP_DATA_DIR: cannot use ${directory}: ${messageOf(error)}`, { cause: error });
  }
}

/** Opens the engine for the operator's commands: accounts, tokens and credits. A server may run at the same time. */
export function openAdminEngine(
  config: Config,
  parts: Pick<EngineOptions, "onBackgroundError"> = {},
): Promise<Engine> {
  return openEngine(config, { ...parts, renderer: NO_RENDERER });
}

/** Opens the data folder to move from, and locks it until it is closed. */
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
