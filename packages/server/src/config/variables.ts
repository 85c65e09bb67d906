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
  SNAP_HOST: hostName()
    .default("127.0.0.1")
    .meta({ description: "address to listen on", unset: "127.0.0.1" }),
  SNAP_PORT: wholeNumber({ min: 0, max: 65_535 })
    .default(3000)
    .meta({ description: "port to listen on; 0 picks a free one", unset: "3000" }),
  SNAP_PUBLIC_URL: origin()
    .optional()
    .meta({ description: "origin that clients use", unset: "derived from host and port" }),
  SNAP_DATA_DIR: path()
    .default(() => resolve("data"))
    .meta({ description: "folder of the embedded storage", unset: "./data" }),
  SNAP_DATABASE_URL: serverUrl({
    schemes: ["postgres", "postgresql"],
    example: "postgres://snap:secret@db.internal:5432/snap",
  })
    .optional()
    .meta({
      description: "PostgreSQL, to run on several machines",
      unset: "everything is stored in SNAP_DATA_DIR",
    }),
  SNAP_REDIS_URL: serverUrl({
    schemes: ["redis", "rediss"],
    example: "redis://:secret@cache.internal:6379",
  })
    .optional()
    .meta({
      description: "Redis, to run on several machines",
      unset: "cache and rate limits are stored in SNAP_DATA_DIR",
    }),
  SNAP_ROLE: oneOf("all", "api", "worker").default("all").meta({
    description: "what this process does: serve requests (api), process batches (worker), or both (all)",
    unset: "all",
  }),
  SNAP_SECRET_KEY: z
    .string()
    .min(16, {
      error:
        "must be a random string of at least 16 characters, such as the output of `openssl rand -hex 32`",
    })
    .optional()
    .meta({ description: "encrypts signing secrets at rest", unset: "a key file in the data folder" }),
  SNAP_CHROMIUM_PATH: path()
    .optional()
    .meta({
      description: "path of the browser",
      unset: "the browser that puppeteer installed, or the system's",
    }),
  SNAP_SANDBOX: oneOf("on", "off")
    .default("on")
    .meta({ description: "the browser's sandbox: on or off", unset: "on" }),
  SNAP_BROWSER_URL: browserUrls().optional().meta({
    description: "DevTools endpoints of remote browsers, comma-separated, to use instead of a local browser",
    unset: "a local browser is started",
  }),
  SNAP_BROWSER_PROXY_HOST: reachableHostName().optional().meta({
    description: "name or address under which remote browsers reach the egress proxy of this process",
    unset: "the loopback address, if all of them run on this machine",
  }),
  SNAP_BROWSER_EGRESS: oneOf("proxy", "direct").default("proxy").meta({
    description:
      "how pages in remote browsers reach the web: through the egress proxy, or directly, which leaves containment to the browser's own network",
    unset: "proxy",
  }),
  SNAP_RENDER_CONCURRENCY: wholeNumber({ min: 1, max: 256 }).optional().meta({
    description: "most renders that run at once",
    unset: "by memory: one per 128 MiB, at most 16 per processor",
  }),
  SNAP_RENDER_TIMEOUT_MS: wholeNumber({ min: 1000, max: 600_000 })
    .default(45_000)
    .meta({ description: "timeout of a whole render, in milliseconds", unset: "45000" }),
  SNAP_NAVIGATION_TIMEOUT_MS: wholeNumber({ min: 1000, max: 600_000 }).optional().meta({
    description: "timeout for loading the page, in milliseconds",
    unset: "30000, or SNAP_RENDER_TIMEOUT_MS if that is lower",
  }),
  SNAP_ALLOW_TARGETS: allowedTargets().default([]).meta({
    description: "private hosts or CIDR blocks to allow, each with an optional :port, comma-separated",
    unset: "none",
  }),
  SNAP_PLANS_FILE: plansFile()
    .optional()
    .meta({ description: "JSON file that defines the plans", unset: "starter, growth, scale" }),
  SNAP_WEBHOOK_SCHEDULE: pauses().optional().meta({
    description: "pauses after failed webhook deliveries; 0s alone means a single attempt",
    unset: "5s,5m,30m,2h,5h,10h,10h",
  }),
  SNAP_BATCH_RETENTION: duration({ min: "1ms", max: "365d" })
    .default(BATCH_LIMITS.retentionMs)
    .meta({ description: "how long a finished batch is stored", unset: "7d" }),
  SNAP_RETRY_WINDOW: duration({ min: "0s", max: "1d" })
    .default(BATCH_LIMITS.retryWindowMs)
    .meta({ description: "how long a batch item that hits the render limit is retried", unset: "15m" }),
  SNAP_DRAIN_DELAY: duration({ min: "0s", max: "60s" }).default(0).meta({
    description: "how long a stopping process still accepts requests, so that load balancers notice",
    unset: "0s",
  }),
  SNAP_LOG_LEVEL: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent")
    .default("info")
    .meta({ description: "lowest level that is logged", unset: "info" }),
  SNAP_METRICS: oneOf("on", "off")
    .default("off")
    .meta({ description: "Prometheus metrics at /metrics", unset: "off" }),
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
  return [["SNAP_NAVIGATION_TIMEOUT_MS", `must not exceed SNAP_RENDER_TIMEOUT_MS (${render.data})`]];
}

/** Several processes have to agree on what they share. */
function* incompleteSharing(given: Readonly<Record<string, unknown>>): Generator<Mistake> {
  const [database, redis] = [given["SNAP_DATABASE_URL"], given["SNAP_REDIS_URL"]];
  if (database !== undefined && redis === undefined)
    yield [
      "SNAP_REDIS_URL",
      "must be set together with SNAP_DATABASE_URL: rate limits and the cache are shared through Redis",
    ];
  if (redis !== undefined && database === undefined)
    yield [
      "SNAP_DATABASE_URL",
      "must be set together with SNAP_REDIS_URL: accounts and credits are shared through PostgreSQL",
    ];
  if (database !== undefined && given["SNAP_SECRET_KEY"] === undefined)
    yield [
      "SNAP_SECRET_KEY",
      "must be set together with SNAP_DATABASE_URL, to the same value for every process",
    ];
  if (given["SNAP_ROLE"] === "worker" && given["SNAP_PUBLIC_URL"] === undefined)
    yield ["SNAP_PUBLIC_URL", "must be set for a worker, because webhooks contain links to it"];
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
        : [[name, "only applies to remote browsers; set SNAP_BROWSER_URL as well, or unset it"]],
    );
  if (isDirect && isProxied)
    return [["SNAP_BROWSER_PROXY_HOST", "has no effect with SNAP_BROWSER_EGRESS=direct; unset one of them"]];
  if (isDirect || isProxied || endpoints.data.every(({ isLoopback }) => isLoopback)) return [];
  return [["SNAP_BROWSER_URL", PROXY_HOST_MISSING]];
}

const PROXY_HOST_MISSING =
  "a browser on another machine needs the egress proxy of this process to reach the web; set SNAP_BROWSER_PROXY_HOST " +
  "to the name or address under which it reaches this process, or set SNAP_BROWSER_EGRESS=direct to go without the " +
  "proxy, which leaves the containment of untrusted pages to the browser's own network";

/** The time to load a page when it isn't set: never more than the whole render has. */
export function defaultNavigationTimeoutMs(renderTimeoutMs: number): number {
  return Math.min(NAVIGATION_DEFAULT_MS, renderTimeoutMs);
}
