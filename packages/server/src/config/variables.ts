import { resolve } from "node:path";
import * as z from "zod";
import { BATCH_LIMITS } from "@snap/protocol";
import {
  allowedTargets,
  browserUrls,
  duration,
  hostName,
  oneOf,
  origin,
  path,
  pauses,
  plansFile,
  reachableHostName,
  serverUrl,
  wholeNumber,
} from "./fields.ts";

const NAVIGATION_DEFAULT_MS = 30_000;

/**
 * Every variable of the environment (architecture.md, Configuration), validation and default beside it.
 * `unset` says for people what holds without one.
 */
export const variables = z.object({
  SNAP_HOST: hostName().default("127.0.0.1").meta({ description: "where to listen", unset: "127.0.0.1" }),
  SNAP_PORT: wholeNumber({ min: 0, max: 65_535 })
    .default(3000)
    .meta({ description: "the port to listen at, 0 for any free one", unset: "3000" }),
  SNAP_PUBLIC_URL: origin()
    .optional()
    .meta({ description: "the origin that clients use", unset: "from host and port" }),
  SNAP_DATA_DIR: path()
    .default(() => resolve("data"))
    .meta({ description: "the folder of the embedded storage", unset: "./data" }),
  SNAP_DATABASE_URL: serverUrl({
    schemes: ["postgres", "postgresql"],
    example: "postgres://snap:secret@db.internal:5432/snap",
  })
    .optional()
    .meta({ description: "PostgreSQL, for several machines", unset: "everything is kept in SNAP_DATA_DIR" }),
  SNAP_REDIS_URL: serverUrl({
    schemes: ["redis", "rediss"],
    example: "redis://:secret@cache.internal:6379",
  })
    .optional()
    .meta({
      description: "Redis, for several machines",
      unset: "cache and limits are kept in SNAP_DATA_DIR",
    }),
  SNAP_ROLE: oneOf("all", "api", "worker").default("all").meta({
    description: "what this process does: answer requests (api), work through batches (worker), or all",
    unset: "all",
  }),
  SNAP_SECRET_KEY: z
    .string()
    .min(16, {
      error: "must be a random text of at least 16 characters, such as `openssl rand -hex 32` makes",
    })
    .optional()
    .meta({ description: "encrypts signing secrets at rest", unset: "a key file in the data folder" }),
  SNAP_CHROMIUM_PATH: path()
    .optional()
    .meta({ description: "the browser", unset: "found: puppeteer's own, the system's" }),
  SNAP_SANDBOX: oneOf("on", "off")
    .default("on")
    .meta({ description: "the browser's sandbox: on or off", unset: "on" }),
  SNAP_BROWSER_URL: browserUrls().optional().meta({
    description:
      "DevTools endpoints of browsers that run elsewhere, comma-separated, instead of one of our own",
    unset: "a browser is started here",
  }),
  SNAP_BROWSER_PROXY_HOST: reachableHostName().optional().meta({
    description: "the name or address of this process by which those browsers reach its egress proxy",
    unset: "the loopback, where they all run on this machine",
  }),
  SNAP_BROWSER_EGRESS: oneOf("proxy", "direct").default("proxy").meta({
    description:
      "how pages in those browsers reach the web: through the egress proxy, or directly, which leaves it to the browser's own network to contain them",
    unset: "proxy",
  }),
  SNAP_RENDER_CONCURRENCY: wholeNumber({ min: 1, max: 256 }).optional().meta({
    description: "at most this many renders run at once",
    unset: "by memory, one for each 128 MiB and at most 16 for each processor",
  }),
  SNAP_RENDER_TIMEOUT_MS: wholeNumber({ min: 1000, max: 600_000 })
    .default(45_000)
    .meta({ description: "time budget of a whole render", unset: "45000" }),
  SNAP_NAVIGATION_TIMEOUT_MS: wholeNumber({ min: 1000, max: 600_000 }).optional().meta({
    description: "time budget of loading the page",
    unset: "30000, or SNAP_RENDER_TIMEOUT_MS if that is less",
  }),
  SNAP_ALLOW_TARGETS: allowedTargets().default([]).meta({
    description: "private hosts or CIDRs to allow all the same, each with an optional :port, comma-separated",
    unset: "none",
  }),
  SNAP_PLANS_FILE: plansFile()
    .optional()
    .meta({ description: "JSON file of plans", unset: "starter, growth, scale" }),
  SNAP_WEBHOOK_SCHEDULE: pauses().optional().meta({
    description: "pauses after failed deliveries of a webhook, 0s alone for a single attempt",
    unset: "5s,5m,30m,2h,5h,10h,10h",
  }),
  SNAP_BATCH_RETENTION: duration({ min: "1ms", max: "365d" })
    .default(BATCH_LIMITS.retentionMs)
    .meta({ description: "how long a batch is kept after its finish", unset: "7d" }),
  SNAP_RETRY_WINDOW: duration({ min: "0s", max: "1d" })
    .default(BATCH_LIMITS.retryWindowMs)
    .meta({ description: "for how long a batch item goes on after it met the render limit", unset: "15m" }),
  SNAP_DRAIN_DELAY: duration({ min: "0s", max: "60s" }).default(0).meta({
    description: "for how long it takes requests after it is not ready, so that a load balancer notices",
    unset: "0s",
  }),
  SNAP_LOG_LEVEL: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent")
    .default("info")
    .meta({ description: "the least level that is logged", unset: "info" }),
  SNAP_METRICS: oneOf("on", "off")
    .default("off")
    .meta({ description: "Prometheus figures at /metrics", unset: "off" }),
});

/** Mistakes that variables make together, each right by itself. */
export function contradictions(given: Readonly<Record<string, unknown>>): readonly Mistake[] {
  return [...contradictoryTimes(given), ...incompleteSharing(given), ...contradictoryBrowsers(given)];
}

type Mistake = readonly [name: string, message: string];

function contradictoryTimes(given: Readonly<Record<string, unknown>>): readonly Mistake[] {
  const { SNAP_NAVIGATION_TIMEOUT_MS, SNAP_RENDER_TIMEOUT_MS } = variables.shape;
  const navigation = SNAP_NAVIGATION_TIMEOUT_MS.safeParse(given["SNAP_NAVIGATION_TIMEOUT_MS"]);
  const render = SNAP_RENDER_TIMEOUT_MS.safeParse(given["SNAP_RENDER_TIMEOUT_MS"]);
  if (!render.success || (navigation.data ?? 0) <= render.data) return [];
  return [["SNAP_NAVIGATION_TIMEOUT_MS", `must not be more than SNAP_RENDER_TIMEOUT_MS, ${render.data}`]];
}

/** Several processes have to agree on what they share. */
function* incompleteSharing(given: Readonly<Record<string, unknown>>): Generator<Mistake> {
  const [database, redis] = [given["SNAP_DATABASE_URL"], given["SNAP_REDIS_URL"]];
  if (database !== undefined && redis === undefined)
    yield ["SNAP_REDIS_URL", "must be set beside SNAP_DATABASE_URL: limits and cache are shared there"];
  if (redis !== undefined && database === undefined)
    yield ["SNAP_DATABASE_URL", "must be set beside SNAP_REDIS_URL: accounts and credits are shared there"];
  if (database !== undefined && given["SNAP_SECRET_KEY"] === undefined)
    yield ["SNAP_SECRET_KEY", "must be set beside SNAP_DATABASE_URL, the same for every process"];
  if (given["SNAP_ROLE"] === "worker" && given["SNAP_PUBLIC_URL"] === undefined)
    yield ["SNAP_PUBLIC_URL", "must be set for a worker: webhooks carry links to it"];
}

/** Closed by default: where pages of a browser elsewhere go out must have been said. */
function contradictoryBrowsers(given: Readonly<Record<string, unknown>>): readonly Mistake[] {
  const endpoints = variables.shape.SNAP_BROWSER_URL.safeParse(given["SNAP_BROWSER_URL"]);
  if (!endpoints.success) return [];
  const isDirect = given["SNAP_BROWSER_EGRESS"] === "direct";
  const isProxied = given["SNAP_BROWSER_PROXY_HOST"] !== undefined;
  if (endpoints.data === undefined)
    return ["SNAP_BROWSER_PROXY_HOST", "SNAP_BROWSER_EGRESS"].flatMap((name) =>
      given[name] === undefined
        ? []
        : [[name, "is about browsers elsewhere: set SNAP_BROWSER_URL, too, or unset it"]],
    );
  if (isDirect && isProxied)
    return [["SNAP_BROWSER_PROXY_HOST", "is not used with SNAP_BROWSER_EGRESS=direct: unset one of them"]];
  if (isDirect || isProxied || endpoints.data.every(({ isLoopback }) => isLoopback)) return [];
  return [["SNAP_BROWSER_URL", NO_WAY_OUT]];
}

const NO_WAY_OUT =
  "a browser on another machine reaches the web through this process's egress proxy: say in SNAP_BROWSER_PROXY_HOST " +
  "by which name or address it reaches this process; SNAP_BROWSER_EGRESS=direct goes without, and leaves it to the " +
  "browser's own network to contain pages of strangers";

/** The time to load a page when it isn't set: never more than the whole render has. */
export function defaultNavigationTimeoutMs(renderTimeoutMs: number): number {
  return Math.min(NAVIGATION_DEFAULT_MS, renderTimeoutMs);
}
