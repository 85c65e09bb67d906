import {
  createEngine,
  SnapError,
  type Engine,
  type EngineOptions,
  type Renderer,
  type Storage,
} from "@snap/engine";
import { markOfKey, steadySlots } from "@snap/engine/internals";
import type { TransferSource } from "@snap/engine/ports";
import type { PuppeteerRendererOptions } from "@snap/engine/puppeteer";
import type { PostgresTarget } from "@snap/storage-postgres";
import { openSqliteSource, openSqliteStorage } from "@snap/storage-sqlite";
import { mkdir } from "node:fs/promises";
import type { Config } from "./config.ts";
import { messageOf } from "./config/message-of.ts";
import { readSecretKey, requireSameKey } from "./config/secret-key.ts";

/*
 * The one file that knows which storage and which renderer stand behind the ports.
 */

/** Wait for a turn, storing and settling: what a reservation must outlast besides the render itself. */
const LEASE_MARGIN_MS = 75_000;

/** A renderer with a real browser behind the egress proxy; the browser starts, or is connected to, at once. */
export async function createRenderer(
  config: Config,
  options: Pick<PuppeteerRendererOptions, "onEvent" | "targets" | "warmContexts">,
): Promise<Renderer> {
  // Commands that render nothing don't load the browser's driver.
  const { createPuppeteerRenderer } = await import("@snap/engine/puppeteer");
  return createPuppeteerRenderer({
    ...options,
    executablePath: config.chromiumPath ?? undefined,
    sandbox: config.sandbox,
    browserUrls: config.browserEndpoints.map(({ url }) => url.href),
    browserProxyHost: config.browserProxyHost ?? undefined,
    browserEgress: config.browserEgress,
    renderTimeoutMs: config.renderTimeoutMs,
    navigationTimeoutMs: config.navigationTimeoutMs,
  });
}

type EngineParts = Pick<
  EngineOptions,
  "renderer" | "targets" | "baseUrl" | "onBackgroundError" | "onItemFinished" | "onDeliveryAttempt"
> & {
  /** Told when Redis can be used again, after `onBackgroundError` was told that it can't. */
  readonly onRedisBack?: () => void;
};

/** The engine over the storage that is configured, which is made where there is none. */
export async function openEngine(config: Config, parts: EngineParts): Promise<Engine> {
  // idle processors here say nothing of those that browsers elsewhere have
  const concurrency = config.renderConcurrency ?? (config.browserEndpoints.length > 0 ? steadySlots() : null);
  return createEngine({
    ...parts,
    ...(await openStorage(config, parts)),
    plans: config.plans,
    reservationLeaseMs: config.renderTimeoutMs + LEASE_MARGIN_MS,
    batchRetentionMs: config.batchRetentionMs,
    batchRetryWindowMs: config.batchRetryWindowMs,
    ...(config.webhookPausesMs === null ? {} : { webhookPausesMs: config.webhookPausesMs }),
    ...(concurrency === null ? {} : { concurrency }),
  });
}

interface OpenedStorage {
  readonly storage: Storage;
  /** Encrypts signing secrets in it. */
  readonly secretKey: string;
}

function openStorage(config: Config, parts: EngineParts): Promise<OpenedStorage> {
  return config.shared === null
    ? openEmbeddedStorage(config)
    : openSharedStorage({ ...config.shared, secretKey: config.secretKey ?? "" }, parts);
}

/** Makes data folder and key file where there are none. */
async function openEmbeddedStorage({ dataDir: directory, secretKey }: Config): Promise<OpenedStorage> {
  await inDataDir(directory, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  if (secretKey !== null) await requireSameKey(directory, secretKey);
  return {
    secretKey: secretKey ?? (await readSecretKey(directory)),
    storage: await inDataDir(directory, () => openSqliteStorage({ directory })),
  };
}

async function openSharedStorage(
  { databaseUrl, redisUrl, secretKey }: NonNullable<Config["shared"]> & { readonly secretKey: string },
  { onBackgroundError = () => {}, onRedisBack = () => {} }: EngineParts,
): Promise<OpenedStorage> {
  // Whoever has one machine loads neither.
  const [{ openPostgresStorage }, { openRedisCache }] = await Promise.all([
    import("@snap/storage-postgres"),
    import("@snap/storage-redis"),
  ]);
  const cache = await openRedisCache({
    url: redisUrl,
    onError: onBackgroundError,
    onBack: onRedisBack,
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
    await requireKeyOf(storage, { secretKey, from: "SNAP_SECRET_KEY" });
  } catch (error) {
    await storage.close();
    throw error;
  }
  return { storage, secretKey };
}

/** @throws Error when a database is in use with another key: what one has sealed the other can't open. */
export async function requireKeyOf(
  database: Pick<PostgresTarget, "claimKeyMark">,
  { secretKey, from }: { readonly secretKey: string; readonly from: string },
): Promise<void> {
  if (await database.claimKeyMark(markOfKey(secretKey))) return;
  throw new Error(
    `${from} is not the key that this database is used with, and neither decrypts what the other encrypted; set it to ` +
      "the key of the other processes. If that key is lost, set a new one everywhere, empty the table snap.key_mark, " +
      "and rotate every token",
  );
}

/** Says of a fault in the data folder which variable leads there. */
async function inDataDir<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`SNAP_DATA_DIR: cannot use ${directory}: ${messageOf(error)}`, { cause: error });
  }
}

/** The engine for the operator's commands: accounts, tokens and credits, beside a running server. */
export function openAdminEngine(
  config: Config,
  parts: Pick<EngineOptions, "onBackgroundError"> = {},
): Promise<Engine> {
  return openEngine(config, { ...parts, renderer: NO_RENDERER });
}

/** What is moved out of a data folder, which nobody can use until it is closed. */
export function openMoveSource(dataDir: string): Promise<TransferSource> {
  return openSqliteSource({ directory: dataDir });
}

/** The database that it is moved into. */
export async function openMoveTarget(databaseUrl: string): Promise<PostgresTarget> {
  const { openPostgresTarget } = await import("@snap/storage-postgres");
  return openPostgresTarget({ url: databaseUrl });
}

const NO_RENDERER: Renderer = {
  render: () => Promise.reject(new SnapError("not_ready", "This command cannot render.")),
  health: () => Promise.resolve({ ready: false, reason: "this command cannot render" }),
  close: () => Promise.resolve(),
};
