import { createEngine, SnapError, type Engine, type EngineOptions, type Renderer } from "@snap/engine";
import type { PuppeteerRendererOptions } from "@snap/engine/puppeteer";
import { openSqliteStorage } from "@snap/storage-sqlite";
import { mkdir } from "node:fs/promises";
import type { Config } from "./config.ts";
import { messageOf } from "./config/message-of.ts";
import { readSecretKey, requireSameKey } from "./config/secret-key.ts";

/*
 * The one file that knows which storage and which renderer stand behind the ports.
 */

/** Wait for a turn, storing and settling: what a reservation must outlast besides the render itself. */
const LEASE_MARGIN_MS = 75_000;

/** A renderer with a real browser behind the egress proxy; the browser starts at once. */
export async function createRenderer(
  config: Config,
  options: Pick<PuppeteerRendererOptions, "onEvent" | "policy" | "warmContexts">,
): Promise<Renderer> {
  // Commands that render nothing don't load the browser's driver.
  const { createPuppeteerRenderer } = await import("@snap/engine/puppeteer");
  return createPuppeteerRenderer({
    ...options,
    executablePath: config.chromiumPath ?? undefined,
    sandbox: config.sandbox,
    renderTimeoutMs: config.renderTimeoutMs,
    navigationTimeoutMs: config.navigationTimeoutMs,
  });
}

/** The engine over the embedded storage; makes data folder and key file where there are none. */
export async function openEngine(
  config: Config,
  parts: Pick<
    EngineOptions,
    "renderer" | "targets" | "baseUrl" | "onBackgroundError" | "onItemFinished" | "onDeliveryAttempt"
  >,
): Promise<Engine> {
  const { dataDir: directory } = config;
  await inDataDir(directory, () => mkdir(directory, { recursive: true, mode: 0o700 }));
  if (config.secretKey !== null) await requireSameKey(directory, config.secretKey);
  const secretKey = config.secretKey ?? (await readSecretKey(directory));
  return createEngine({
    ...parts,
    secretKey,
    storage: await inDataDir(directory, () => openSqliteStorage({ directory })),
    plans: config.plans,
    reservationLeaseMs: config.renderTimeoutMs + LEASE_MARGIN_MS,
    batchRetentionMs: config.batchRetentionMs,
    batchRetryWindowMs: config.batchRetryWindowMs,
    ...(config.webhookPausesMs === null ? {} : { webhookPausesMs: config.webhookPausesMs }),
    ...(config.renderConcurrency === null ? {} : { concurrency: config.renderConcurrency }),
  });
}

/** Says of a fault in the data folder which variable leads there. */
async function inDataDir<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`SNAP_DATA_DIR: ${directory} can't be used: ${messageOf(error)}`, { cause: error });
  }
}

/** The engine for the operator's commands: accounts, tokens and credits, beside a running server. */
export function openAdminEngine(config: Config): Promise<Engine> {
  return openEngine(config, { renderer: NO_RENDERER });
}

const NO_RENDERER: Renderer = {
  render: () => Promise.reject(new SnapError("not_ready", "This command renders nothing.")),
  health: () => Promise.resolve({ ready: false, reason: "this command renders nothing" }),
  close: () => Promise.resolve(),
};
