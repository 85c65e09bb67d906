import { resolve } from "node:path";
import * as z from "zod";
import { BATCH_LIMITS } from "@snap/protocol";
import {
  allowedTargets,
  duration,
  hostName,
  notYet,
  oneOf,
  origin,
  path,
  pauses,
  plansFile,
  wholeNumber,
} from "./fields.ts";

const NAVIGATION_DEFAULT_MS = 30_000;

/** Every variable of the environment (architecture.md, Configuration), validation and default beside it. */
export const variables = z.object({
  SNAP_HOST: hostName().default("127.0.0.1").describe("where to listen (127.0.0.1)"),
  SNAP_PORT: wholeNumber({ min: 0, max: 65_535 })
    .default(3000)
    .describe("the port to listen at, 0 for any free one (3000)"),
  SNAP_PUBLIC_URL: origin().optional().describe("the origin that clients use (from host and port)"),
  SNAP_DATA_DIR: path()
    .default(() => resolve("data"))
    .describe("the folder of the embedded storage (./data)"),
  SNAP_DATABASE_URL: notYet("everything is kept in SNAP_DATA_DIR").optional(),
  SNAP_REDIS_URL: notYet("cache and limits are kept in SNAP_DATA_DIR").optional(),
  SNAP_ROLE: oneOf("all", "api", "worker")
    .refine((role) => role === "all", { error: "not supported by this version yet; unset it, or say all" })
    .default("all"),
  SNAP_SECRET_KEY: z
    .string()
    .min(16, {
      error: "must be a random text of at least 16 characters, such as `openssl rand -hex 32` makes",
    })
    .optional()
    .describe("encrypts signing secrets at rest (a key file in the data folder)"),
  SNAP_CHROMIUM_PATH: path().optional().describe("the browser (found: puppeteer's own, the system's)"),
  SNAP_SANDBOX: oneOf("on", "off").default("on").describe("the browser's sandbox: on or off (on)"),
  SNAP_RENDER_CONCURRENCY: wholeNumber({ min: 1, max: 256 })
    .optional()
    .describe("how many renders run at once (twice the processors)"),
  SNAP_RENDER_TIMEOUT_MS: wholeNumber({ min: 1000, max: 600_000 })
    .default(45_000)
    .describe("time budget of a whole render (45000)"),
  SNAP_NAVIGATION_TIMEOUT_MS: wholeNumber({ min: 1000, max: 600_000 })
    .optional()
    .describe("time budget of loading the page (30000)"),
  SNAP_ALLOW_TARGETS: allowedTargets()
    .default([])
    .describe("private hosts or CIDRs to allow all the same, each with an optional :port, comma-separated"),
  SNAP_PLANS_FILE: plansFile().optional().describe("JSON file of plans (starter, growth, scale)"),
  SNAP_WEBHOOK_SCHEDULE: pauses()
    .optional()
    .describe(
      "pauses after failed deliveries of a webhook, 0s alone for a single attempt (5s,5m,30m,2h,5h,10h,10h)",
    ),
  SNAP_BATCH_RETENTION: duration({ min: "1ms", max: "365d" })
    .default(BATCH_LIMITS.retentionMs)
    .describe("how long a batch is kept after its finish (7d)"),
  SNAP_RETRY_WINDOW: duration({ min: "0s", max: "1d" })
    .default(BATCH_LIMITS.retryWindowMs)
    .describe("for how long a batch item goes on after it met the render limit (15m)"),
  SNAP_LOG_LEVEL: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent")
    .default("info")
    .describe("the least level that is logged (info)"),
  SNAP_METRICS: oneOf("on", "off").default("off").describe("Prometheus figures at /metrics (off)"),
});

/** Mistakes that two variables make together, each right by itself. */
export function contradictions(
  given: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] {
  const { SNAP_NAVIGATION_TIMEOUT_MS, SNAP_RENDER_TIMEOUT_MS } = variables.shape;
  const navigation = SNAP_NAVIGATION_TIMEOUT_MS.safeParse(given["SNAP_NAVIGATION_TIMEOUT_MS"]);
  const render = SNAP_RENDER_TIMEOUT_MS.safeParse(given["SNAP_RENDER_TIMEOUT_MS"]);
  if (!render.success || (navigation.data ?? 0) <= render.data) return [];
  return [["SNAP_NAVIGATION_TIMEOUT_MS", `must not be more than SNAP_RENDER_TIMEOUT_MS, ${render.data}`]];
}

/** The time to load a page when it isn't set: never more than the whole render has. */
export function defaultNavigationTimeoutMs(renderTimeoutMs: number): number {
  return Math.min(NAVIGATION_DEFAULT_MS, renderTimeoutMs);
}
