import * as z from "zod";
import { BUILT_IN_PLANS } from "@snap/engine";
import { SECRET_KEY_MIN_CHARACTERS } from "@snap/engine/internals";
import { oneOf } from "../requests/fields.ts";
import {
  duration,
  durationOr,
  hostName,
  MAX_BYTES,
  onOrOff,
  origin,
  path,
  retryDelays,
  plansFile,
  serverUrl,
  trustedProxies,
  wholeNumber,
} from "./fields.ts";
import { CONSOLE_SETTINGS } from "./console-settings.ts";
import { EGRESS_SETTINGS } from "./egress-settings.ts";
import { filterLists } from "./filter-lists.ts";
import { RENDER_SETTINGS } from "./render-settings.ts";
import { optional, type Setting } from "./setting.ts";
import { STORE_NAME, storesFile } from "./stores-file.ts";

/** Of random secrets with 32 hexadecimal digits, less than one in ten million has fewer. */
const TOKEN_DIFFERENT_CHARACTERS_MIN = 8;

/** Every setting: its environment variable, validation, description and default. */
export const SETTINGS = {
  host: {
    variable: "SNAP_HOST",
    schema: hostName(),
    description: "address to listen on",
    default: "127.0.0.1",
  },
  port: {
    variable: "SNAP_PORT",
    schema: wholeNumber({ min: 0, max: 65_535 }),
    description: "port to listen on; 0 picks a free one",
    default: "3000",
  },
  publicUrl: {
    variable: "SNAP_PUBLIC_URL",
    schema: optional(origin()),
    description: "origin that clients use",
    unset: "derived from host and port",
  },
  trustProxy: {
    variable: "SNAP_TRUST_PROXY",
    schema: optional(trustedProxies()),
    description:
      "proxies in front of the service whose X-Forwarded-For, X-Forwarded-Proto, X-Request-Id and traceparent are trusted: their number, or a comma-separated list of addresses, CIDR blocks, or the names loopback, linklocal and uniquelocal",
    unset: "none: the log shows the connection's address",
  },
  dataDir: {
    variable: "SNAP_DATA_DIR",
    schema: path(),
    description: "folder of the embedded storage",
    default: "./data",
  },
  databaseUrl: {
    variable: "SNAP_DATABASE_URL",
    secret: true,
    schema: optional(
      serverUrl({
        schemes: ["postgres", "postgresql"],
        example: "postgres://snap:secret@db.internal:5432/snap",
      }),
    ),
    description: "PostgreSQL, to run on several machines",
    unset: "everything is stored in SNAP_DATA_DIR",
  },
  redisUrl: {
    variable: "SNAP_REDIS_URL",
    secret: true,
    schema: optional(
      serverUrl({
        schemes: ["redis", "rediss"],
        example: "redis://:secret@cache.internal:6379",
      }),
    ),
    description: "Redis, to run on several machines",
    unset: "cache and rate limits are stored in SNAP_DATA_DIR",
  },
  redisOptional: {
    variable: "SNAP_REDIS_OPTIONAL",
    schema: onOrOff(),
    description:
      "whether to start even if Redis cannot be reached: on or off; a later outage never stops the service",
    default: "off",
  },
  cacheMaxBytes: {
    variable: "SNAP_CACHE_MAX_BYTES",
    schema: optional(wholeNumber({ min: 0, max: MAX_BYTES })),
    description: "maximum size of all cached renderings, in bytes; 0 caches none",
    unset:
      "half of the sum of their size and the free disk space; with Redis, 80% of its maxmemory or, " +
      "if that is not set, half of its machine's memory",
  },
  diskReserveBytes: {
    variable: "SNAP_DISK_RESERVE_BYTES",
    schema: wholeNumber({ min: 0, max: MAX_BYTES }),
    description: "free disk space that cached renderings and documents leave for everything else, in bytes",
    default: "268435456",
  },
  role: {
    variable: "SNAP_ROLE",
    schema: oneOf("all", "api", "worker"),
    description: "what this process does: serve requests (api), process batches (worker), or both (all)",
    default: "all",
  },
  secretKey: {
    variable: "SNAP_SECRET_KEY",
    secret: true,
    schema: optional(
      z.string().min(SECRET_KEY_MIN_CHARACTERS, {
        error: `must be a random string of at least ${SECRET_KEY_MIN_CHARACTERS} characters, such as the output of \`openssl rand -hex 32\``,
      }),
    ),
    description: "key that encrypts signing secrets and the secrets in batch items at rest",
    unset: "a key file in the data folder",
  },
  ownToken: {
    variable: "SNAP_TOKEN",
    secret: true,
    schema: optional(
      z
        .string()
        .regex(/^(?:[1-9]\d{0,14}\|)?[\w.~+/=-]{32,128}$/, {
          abort: true,
          error:
            "must be a random string of 32 to 128 letters, digits or characters of -._~+/=, such as the output of `openssl rand -hex 24`",
        })
        .refine((token) => new Set(token.replace(/^\d+\|/, "")).size >= TOKEN_DIFFERENT_CHARACTERS_MIN, {
          error: `must be random: it has fewer than ${TOKEN_DIFFERENT_CHARACTERS_MIN} different characters; use the output of \`openssl rand -hex 24\``,
        }),
    ),
    description:
      "bearer token: a secret of your choice, for an account without limits that the service creates at startup, or an existing token of any account; an earlier secret stops working",
    unset: "tokens are created with accounts create and tokens create",
  },
  ...RENDER_SETTINGS,
  ...EGRESS_SETTINGS,
  filterLists: {
    variable: "SNAP_FILTER_LISTS",
    schema: filterLists().default([]),
    description:
      "filter lists, which blockAds and blockTrackers require: files, comma-separated, each optionally with its purpose, such as ads:/etc/snap/easylist.txt",
    unset: "none",
  },
  plans: {
    variable: "SNAP_PLANS_FILE",
    schema: plansFile().default(BUILT_IN_PLANS),
    description: "JSON file that defines the plans",
    unset: "starter, growth, scale",
  },
  stores: {
    variable: "SNAP_STORES_FILE",
    schema: storesFile().default([]),
    description: "JSON file that names the object stores in which storeTo stores renderings",
    unset: "none",
  },
  objectStore: {
    variable: "SNAP_OBJECT_STORE",
    schema: optional(
      z.string().regex(STORE_NAME, {
        error: "must be 1 to 63 lowercase letters, digits and hyphens, not starting with a hyphen",
      }),
    ),
    description:
      "name of the store in SNAP_STORES_FILE in which the service caches renderings over 32 KiB; storeTo cannot use it",
    unset: "none: renderings are cached in SNAP_DATA_DIR or Redis",
  },
  webhookRetryDelaysMs: {
    variable: "SNAP_WEBHOOK_SCHEDULE",
    schema: optional(retryDelays()),
    description: "delays after failed attempts to deliver a webhook; 0s alone means a single attempt",
    unset: "5s,5m,30m,2h,5h,10h,10h",
  },
  batchRetentionMs: {
    variable: "SNAP_BATCH_RETENTION",
    schema: duration({ min: "1ms", max: "365d" }),
    description: "how long a finished batch is stored",
    default: "7d",
  },
  journalRetentionMs: {
    variable: "SNAP_JOURNAL_RETENTION",
    schema: durationOr("none", { min: "35d", max: "3650d" }),
    description:
      "how long a period's balance and journal are stored after its end; set to none to keep all periods",
    default: "400d",
  },
  ...CONSOLE_SETTINGS,
  batchRetryWindowMs: {
    variable: "SNAP_RETRY_WINDOW",
    schema: duration({ min: "0s", max: "1d" }),
    description:
      "how long a batch item is retried if something other than its page stops it, such as the render limit, a busy service or failed name resolution",
    default: "15m",
  },
  drainDelayMs: {
    variable: "SNAP_DRAIN_DELAY",
    schema: duration({ min: "0s", max: "60s" }),
    description: "how long a stopping process still accepts requests, so load balancers notice",
    default: "0s",
  },
  logLevel: {
    variable: "SNAP_LOG_LEVEL",
    schema: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    description: "lowest level to log",
    default: "info",
  },
  metrics: {
    variable: "SNAP_METRICS",
    schema: onOrOff(),
    description: "Prometheus metrics at /metrics",
    default: "off",
  },
} as const satisfies Record<string, Setting>;

export type Settings = {
  readonly [Name in keyof typeof SETTINGS]: z.output<(typeof SETTINGS)[Name]["schema"]>;
};
