import type { Engine } from "@snap/engine";
import { createServer, type AddressInfo, type Server } from "node:net";
import type { Logger } from "pino";
import { publicUrlOf, readConfig, type Config } from "../config.ts";
import { joinFilterLists } from "../config/filter-lists.ts";
import { startDemo, type Demo } from "../dev/demo.ts";
import { readableLog } from "../operations/readable-log.ts";
import type { AdminOptions } from "../http/admin.ts";
import { listen } from "../http/listen.ts";
import { startService } from "../http/service.ts";
import { createLogger } from "../operations/logger.ts";
import { describeStart } from "../operations/describe-start.ts";
import { createMetrics, type Metrics } from "../operations/metrics/create-metrics.ts";
import type { ObservedDisk } from "../operations/metrics/read-state.ts";
import { watchEngine } from "../operations/watch-engine.ts";
import { watchRenderer } from "../operations/watch-renderer.ts";
import { HTTP_LIMITS } from "../requests/limits.ts";
import { servicePolicy } from "../target-policy.ts";
import { writeServedAddress } from "../served-address.ts";
import { openEngine } from "../wire.ts";
import { checkStores } from "./doctor/check-stores.ts";
import { EXIT_CODES } from "./errors.ts";
import { adminOptions, checkEncryption } from "./serve-admin.ts";
import { applyOwnToken } from "./own-token.ts";
import { startRenderer, type StartedRenderer } from "./start-renderer.ts";
import { handleSignals, type StopSignals } from "./stop-signals.ts";

export interface ServeOptions {
  readonly dev?: true;
  readonly json?: true;
}

/** Runs the service, and ends the process when it has stopped. Rejects if the service cannot start. */
export async function serve(options: ServeOptions): Promise<void> {
  const stop = handleSignals();
  const { config: read, warnings } = readConfig(process.env, "service");
  const isDev = options.dev === true;
  const listener = read.port === 0 ? await reserveAddress(read) : null;
  let demo: Demo | null = null;
  let started: StartedRenderer | null = null;
  try {
    const config = { ...read, port: listener === null ? read.port : portOf(listener) };
    const isReadable = isDev && options.json !== true;
    const logger = createLogger(config.logLevel, isReadable ? readableLog(process.stdout) : undefined);
    process.on("uncaughtExceptionMonitor", (error) => logger.fatal({ err: error }, "ending after a defect"));
    logger.info(await describeStart(config), "starting");
    for (const text of warnings) logger.warn(text);
    for (const { message, advice } of checkEncryption(config, isDev)) logger.warn(`${message}; ${advice}`);
    warnAboutObjectStore(config, logger).catch((error: unknown) => {
      logger.warn({ err: error }, "could not check the object store");
    });
    const metrics = config.metrics && createMetrics({ disk: diskOf(config) });
    if (isDev) demo = await startDemo(config.port + 1);
    started = await startBrowser(config, { logger, metrics, demo });
    const admin = await adminOptions(config, { isDev, sandbox: started.sandbox, warnings });
    const dependencies = { config, listener, logger, metrics, started, demo, admin };
    await serveUntil(stop, { ...dependencies, json: options.json === true });
  } finally {
    // after a stop, only the demo is still open
    await started?.renderer.close();
    await demo?.close();
    listener?.close();
  }
  process.exit(EXIT_CODES.ok);
}

/** Only warns: without its object store, the service works, but does not cache large renderings. */
async function warnAboutObjectStore(config: Config, logger: Logger): Promise<void> {
  const stores = config.stores.filter(({ name }) => name === config.objectStore);
  for (const { status, message, advice } of await checkStores({ ...config, stores }))
    if (status !== "ok") logger.warn(`object store ${message}; ${advice}`);
}

/** The data folder's disk; `null` if the service uses PostgreSQL. */
function diskOf({ shared, dataDir, diskReserveBytes }: Config): ObservedDisk | null {
  return shared === null ? { directory: dataDir, reserveBytes: diskReserveBytes } : null;
}

interface ServiceDependencies {
  readonly config: Config;
  /** Holds the free port that was picked; `null` unless SNAP_PORT is 0. */
  readonly listener: Server | null;
  readonly logger: Logger;
  /** `false` if metrics are off. */
  readonly metrics: Metrics | false;
  readonly started: StartedRenderer;
  readonly demo: Demo | null;
  readonly admin: AdminOptions;
  readonly json: boolean;
}

/** Refuses to run without a sandbox unless SNAP_SANDBOX=off or `--dev` is set. */
async function startBrowser(
  config: Config,
  { logger, metrics, demo }: Pick<ServiceDependencies, "logger" | "metrics" | "demo">,
): Promise<StartedRenderer> {
  const targets = servicePolicy(config, demo === null ? [] : [demo.target]);
  const filterLists = joinFilterLists(config.filterLists);
  const onEvent = watchRenderer({ logger, metrics });
  const started = await startRenderer(config, { targets, filterLists, onEvent });
  const { health, renderer, sandbox } = started;
  if (!health.ready)
    logger.error(
      { reason: health.reason },
      "not ready: no usable browser; run `snap-server doctor` for details",
    );
  if (sandbox === "on") return started;
  if (config.sandbox === "on" && demo === null) {
    await renderer.close();
    throw new Error(
      "the browser starts only without its sandbox, which is unsafe for untrusted pages; run `snap-server doctor` to see " +
        "how to fix it, or set SNAP_SANDBOX=off to accept the risk",
    );
  }
  logger.warn(
    "the browser runs WITHOUT ITS SANDBOX: a hostile page can take over the user account of this process",
  );
  return started;
}

async function serveUntil(stop: StopSignals, dependencies: ServiceDependencies): Promise<void> {
  const { config, logger, metrics, started, demo, admin, json } = dependencies;
  const { host, port, role, trustProxy, drainDelayMs, renderTimeoutMs } = config;
  // longer than a render, because one may first have to wait for a slot
  const drainTimeoutMs = Math.max(HTTP_LIMITS.drainMs, renderTimeoutMs + 45_000);
  const publicUrl = publicUrlOf(config, port);
  const engine = await openEngine(config, {
    ...watchEngine({ logger, metrics, role }),
    renderer: started.renderer,
    keyCheck: "shared",
    isService: true,
    createsDatabase: true,
    baseUrl: `${publicUrl}/v1`,
    needsRedis: !config.redisOptional,
  });
  let { listener } = dependencies;
  try {
    // a service that cannot listen must not revoke the SNAP_TOKEN of the one that uses the address
    listener ??= await reserveAddress(config);
    // a worker serves no requests that need a token
    const tokenId = role === "worker" ? null : await applyOwnToken(engine, config.ownToken);
    if (tokenId !== null) logOwnToken(logger, tokenId);
    else if (demo === null) await adviseOnAccounts(engine, { role, logger });
    const { warnings = [] } = (await engine.cacheStats()) ?? {};
    for (const { message, advice } of warnings) logger.warn(`cache: ${message}; ${advice}`);
    const stopSignal = stop.awaitSignal();
    const access = (await demo?.createAccess(engine, config)) ?? null;
    const service = await startService({
      engine,
      host,
      port,
      listener,
      publicUrl,
      trustProxy,
      logger,
      metrics,
      endpoints: role === "worker" ? "operations" : "all",
      maxRenderingBytes: config.maxRenderingBytes,
      drainDelayMs,
      drainTimeoutMs,
      admin,
      demo: access,
    });
    const worker = role === "api" ? null : engine.startWorker();
    const removeAddress = await shareAddress(config, { publicUrl, logger });
    try {
      if (demo !== null && access !== null) {
        const hasConsole = admin.console !== null;
        await demo.announce({ engine, config, started, publicUrl, hasConsole, access, json });
      }
      const signal = await stopSignal;
      logger.info(
        { signal, ...engine.load(), drain_timeout_ms: drainTimeoutMs },
        "stopping: waiting for running renders to finish",
      );
    } finally {
      await Promise.all([service.stop(worker?.stop()), removeAddress()]);
    }
  } finally {
    listener?.close();
    await engine.close();
  }
  logger.info("stopped");
}

function logOwnToken(logger: Logger, id: number): void {
  logger.info(
    { token: id },
    `SNAP_TOKEN is token ${id}; to show its signing secret: npx snap-server tokens reveal ${id}`,
  );
}

/** Logs how to create the first account. */
async function adviseOnAccounts(
  engine: Engine,
  { role, logger }: { readonly role: Config["role"]; readonly logger: Logger },
): Promise<void> {
  if ((await engine.accounts.page({ limit: 1 })).entries.length > 0) return;
  const alternative = role === "worker" ? "" : "set SNAP_TOKEN to a secret, or ";
  logger.info(`no accounts yet; ${alternative}run npx snap-server accounts create --help`);
}

/** Writes the address for commands, which otherwise derive it from their own variables. */
async function shareAddress(
  { shared, dataDir }: Config,
  { publicUrl, logger }: { readonly publicUrl: string; readonly logger: Logger },
): Promise<() => Promise<void>> {
  if (shared !== null) return async () => {};
  const warn = (err: unknown): void => {
    logger.warn({ err }, "could not update the address of the service in the data folder");
  };
  try {
    const remove = await writeServedAddress(dataDir, publicUrl);
    return () => remove().catch(warn);
  } catch (error) {
    warn(error);
    return async () => {};
  }
}

/** Adds advice to an operating system error about the address; rethrows every other error. */
function adviseOnAddress(error: unknown): never {
  const isAddressError = error instanceof Error && error.cause instanceof Error && "code" in error.cause;
  if (!isAddressError) throw error;
  throw new Error(`${error.message}; free the port, or choose another address with SNAP_HOST and SNAP_PORT`, {
    cause: error,
  });
}

/** Listens until the service takes over. With port 0, it is called early, because the public URL contains the port. */
async function reserveAddress({ host, port }: Pick<Config, "host" | "port">): Promise<Server> {
  const server = createServer((socket) => socket.destroy());
  await listen(server, { host, port }).catch(adviseOnAddress);
  // a connection that cannot be accepted, for lack of memory or files, only fails for its client
  server.on("error", () => {});
  return server;
}

function portOf(listener: Server): number {
  return (listener.address() as AddressInfo).port;
}
