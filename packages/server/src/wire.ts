import {
  createEngine,
  createS3Store,
  createSystemResolver,
  keyFingerprint,
  parseUpstreamProxy,
  SnapError,
  systemResolver,
  type Engine,
  type EngineOptions,
  type NamedStore,
  type Renderer,
  type Resolver,
  type S3Store,
  type UpstreamProxy,
} from "@snap/engine";
import { slotsForCores, STORE_TIMEOUT_MS } from "@snap/engine/internals";
import type { BeforeMigration } from "@snap/engine/ports";
import type { PuppeteerRendererOptions } from "@snap/engine/puppeteer";
import type { Config } from "./config.ts";
import {
  NO_KEY,
  openStorage,
  rejectMigration,
  type KeyPin,
  type OpenedStorage,
  type StorageOptions,
} from "./open-storage.ts";
import { servicePolicy } from "./target-policy.ts";
import { keySourceOf, wrongKeyError } from "./config/secret-key.ts";
import { OperatorError } from "./operator-error.ts";

/* Assembles the engine with the configured storage. The only file that chooses the renderer. */

/** Time limit of a request to the object store for cached renderings: a caller waits for it. */
const CACHE_TIMEOUT_MS = 10_000;

/** The egress proxy and the checks before it look up the same names, so they share a resolver and its cached answers. */
const resolvers = new WeakMap<Config, Resolver>();

/** Returns the resolver for pages, webhooks and object stores; always the same one for a configuration. */
export function resolverOf(config: Config): Resolver {
  const resolver = resolvers.get(config) ?? openResolver(config);
  resolvers.set(config, resolver);
  return resolver;
}

/**
 * Opens a resolver that asks the configured name servers, or the system's if there are none. The
 * system's always resolve the host names of databases, object stores and the upstream proxy:
 * pages are blocked from the addresses that these names have on this machine.
 */
function openResolver(config: Config): Resolver {
  const { nameServers: servers } = config;
  if (servers === null) return systemResolver;
  const resolver = createSystemResolver({ servers });
  const proxies = [upstreamProxyOf(config)].filter((proxy) => proxy !== null);
  const ports = [...(servicePolicy(config).ownPorts ?? []), ...proxies];
  const ownHostnames = new Set(ports.map(({ hostname }) => hostname));
  return {
    resolve: (hostname, options) =>
      (ownHostnames.has(hostname) ? systemResolver : resolver).resolve(hostname, options),
  };
}

/** Returns the proxy for pages, webhooks and object stores; `null` if they connect directly. */
export function upstreamProxyOf({
  upstreamProxy: url,
  noProxy,
  upstreamProxyDns: dns,
}: Config): UpstreamProxy | null {
  return url === null ? null : parseUpstreamProxy({ url, noProxy, dns });
}

/** Creates the stores of `SNAP_STORES_FILE`, by name. They connect only when they are used. */
export function storesOf(config: Config): ReadonlyMap<string, NamedStore & { readonly store: S3Store }> {
  const [resolver, upstreamProxy] = [resolverOf(config), upstreamProxyOf(config)];
  return new Map(
    config.stores.map(({ name, accounts: accountIds, ...settings }) => {
      const timeoutMs = name === config.objectStore ? CACHE_TIMEOUT_MS : STORE_TIMEOUT_MS;
      return [
        name,
        { store: createS3Store({ ...settings, resolver, upstreamProxy, timeoutMs }), accountIds },
      ];
    }),
  );
}

/**
 * Renderer options that a command sets. Without `filterLists`, the renderer compiles none. `sandbox` is the configured
 * one by default.
 */
export type RendererOptions = Pick<
  PuppeteerRendererOptions,
  "filterLists" | "onEvent" | "sandbox" | "targets" | "warmContexts"
>;

/** Creates a renderer with a real browser, and immediately starts the browser or connects to it. */
export async function createRenderer(config: Config, options: RendererOptions): Promise<Renderer> {
  // Commands that do not render must not load Puppeteer.
  const { createPuppeteerRenderer } = await import("@snap/engine/puppeteer");
  return createPuppeteerRenderer({
    sandbox: config.sandbox,
    ...options,
    resolver: resolverOf(config),
    upstreamProxy: upstreamProxyOf(config),
    executablePath: config.chromiumPath ?? undefined,
    userAgent: config.userAgent ?? undefined,
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

export type OpenEngineOptions = Pick<
  EngineOptions,
  | "renderer"
  | "targets"
  | "baseUrl"
  | "onClockSkew"
  | "onEvent"
  | "onItemFinished"
  | "onItemPostponed"
  | "onDeliveryAttempt"
  | "onQuarantined"
> &
  Omit<StorageOptions, "beforeMigration" | "bucket"> & {
    /** `decrypts` by default. */
    readonly keyCheck?: KeyCheck | undefined;
    /** By default, a database from an older release is rejected. */
    readonly beforeMigration?: BeforeMigration | undefined;
  };

/**
 * How the secret key is checked. `none`: not at all. `decrypts`: it must decrypt the newest stored
 * signing secret, if any. `shared`: it must also be the key that other processes use with the
 * database; commands that encrypt check this first.
 */
export type KeyCheck = "none" | "decrypts" | "shared";

/**
 * Opens the engine with the configured storage.
 *
 * @throws OperatorError
 */
export async function openEngine(
  config: Config,
  { keyCheck = "decrypts", beforeMigration = rejectMigration, ...options }: OpenEngineOptions,
): Promise<Engine> {
  // By default, these run no more renders than there are slots, even while cores are idle: remote browsers run on other
  // machines, and each account's browser takes memory.
  const isBounded = config.browserEndpoints.length > 0 || config.isolation === "account";
  const concurrency = config.renderConcurrency ?? (isBounded ? slotsForCores() : null);
  const stores = new Map(storesOf(config));
  const bucket = stores.get(config.objectStore ?? "")?.store;
  stores.delete(config.objectStore ?? "");
  const opened = await openStorage(config, { ...options, bucket, beforeMigration });
  let engine: Engine | null = null;
  try {
    engine = createEngine({
      ...options,
      storage: opened.storage,
      secretKey: opened.secretKey,
      resolver: resolverOf(config),
      upstreamProxy: upstreamProxyOf(config),
      plans: config.plans,
      maxRenderingBytes: config.maxRenderingBytes,
      isolation: config.isolation,
      stores: Object.fromEntries(stores),
      batchRetentionMs: config.batchRetentionMs,
      journalRetentionMs: config.journalRetentionMs,
      historyRetentionMs: config.historyRetentionMs,
      batchRetryWindowMs: config.batchRetryWindowMs,
      ...(config.webhookRetryDelaysMs === null ? {} : { webhookRetryDelaysMs: config.webhookRetryDelaysMs }),
      ...(concurrency === null ? {} : { concurrency }),
    });
    if (keyCheck !== "none") await requireDecryption(engine, config);
    if (keyCheck === "shared") await requireSharedKey(engine, { ...opened, from: keySourceOf(config) });
    return engine;
  } catch (error) {
    await (engine ?? opened.storage).close();
    throw error;
  }
}

async function requireDecryption({ tokens }: Engine, config: Config): Promise<void> {
  if ((await tokens.checkSecretKey()) === "differs") throw wrongKeyError(keySourceOf(config));
}

async function requireSharedKey(
  { tokens }: Engine,
  { keyPin, secretKey, from }: Omit<OpenedStorage, "storage"> & { readonly from: string },
): Promise<void> {
  if (keyPin === null) return;
  // a key that decrypts is right, even if a process with another key was the first to open the empty database
  if ((await tokens.checkSecretKey()) === "matches")
    await keyPin.replaceKeyFingerprint(keyFingerprint(secretKey));
  else await requireMatchingKey(keyPin, { secretKey, from });
}

/**
 * Stores the fingerprint of the key if the database has none.
 *
 * @throws OperatorError if the database is used with a different key.
 */
export async function requireMatchingKey(
  database: KeyPin,
  { secretKey, from }: { readonly secretKey: string; readonly from: string },
): Promise<void> {
  if (await database.pinKeyFingerprint(keyFingerprint(secretKey))) return;
  throw new OperatorError(
    "secret_key_wrong",
    `${from} is not the key that this database is used with, and neither decrypts what the other encrypted`,
    "use the key that the other processes use; if it is lost or wrong, set the same new key for every process and run " +
      "`snap-server secret-key replace --yes`",
  );
}

export type AdminEngineOptions = Pick<
  OpenEngineOptions,
  | "onRedisError"
  | "onPooler"
  | "keyCheck"
  | "keyUse"
  | "beforeMigration"
  | "beforeCreation"
  | "createsDatabase"
>;

/** Opens the engine for the operator's commands: accounts, tokens and credits. A server can run at the same time. */
export function openAdminEngine(config: Config, options: AdminEngineOptions = {}): Promise<Engine> {
  // a command may not know how long the service stores its history and its journal, so it prunes neither
  const configWithoutPruning = { ...config, historyRetentionMs: null, journalRetentionMs: null };
  return openEngine(configWithoutPruning, {
    ...options,
    renderer: noRenderer(config),
    targets: servicePolicy(config),
  });
}

/**
 * Opens the engine after the secret key was lost, with a key that may not decrypt the signing secrets. `pinKey` makes
 * the database reject processes with a different key. Creates a missing key file. With `dryRun`, changes nothing; `hasKey`
 * is then `false` if the file is missing.
 *
 * @throws OperatorError without `dryRun` while a data folder's service is running: it would keep using the previous key.
 */
export async function openEngineWithNewKey(
  config: Config,
  { dryRun }: { readonly dryRun: boolean },
): Promise<{ readonly engine: Engine; readonly hasKey: boolean; readonly pinKey: () => Promise<void> }> {
  const opened = await openStorage(config, {
    keyUse: dryRun ? "unused" : "replaced",
    isService: !dryRun,
    beforeMigration: rejectMigration,
  });
  return {
    engine: createEngine({ ...opened, renderer: noRenderer(config), journalRetentionMs: null }),
    hasKey: opened.secretKey !== NO_KEY,
    pinKey: async () => opened.keyPin?.replaceKeyFingerprint(keyFingerprint(opened.secretKey)),
  };
}

/**
 * Returns a renderer that rejects every render. It has the service's time limit, because commands also prune, and must
 * not delete documents that the service's running renders still need.
 */
function noRenderer({ renderTimeoutMs }: Config): Renderer {
  return {
    renderTimeoutMs,
    render: () => Promise.reject(new SnapError("not_ready", "This command cannot render.")),
    health: () => Promise.resolve({ ready: false, reason: "this command cannot render" }),
    close: () => Promise.resolve(),
  };
}
