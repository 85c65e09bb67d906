import { BUILT_IN_PLANS, type AllowedTarget, type Plan } from "@snap/engine";
import type { BrowserEndpoint } from "@snap/engine/internals";
import { suggestName } from "@snap/protocol";
import type * as z from "zod";
import { contradictions, defaultNavigationTimeoutMs, variables } from "./config/variables.ts";

/** What the service is set up with, read from the environment by `readConfig`. */
export interface Config {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Origin that clients use; `null`: from host and port. */
  readonly publicUrl: string | null;
  readonly dataDir: string;
  /** Where several machines keep what they share; `null`: everything is in the data folder. */
  readonly shared: { readonly databaseUrl: string; readonly redisUrl: string } | null;
  readonly role: "all" | "api" | "worker";
  /** `null`: the key file in the data folder. */
  readonly secretKey: string | null;
  /** `null`: the browser is found. */
  readonly chromiumPath: string | null;
  readonly sandbox: "on" | "off";
  /** Browsers that run elsewhere; with none, one is started here. */
  readonly browserEndpoints: readonly BrowserEndpoint[];
  /** By which they reach our egress proxy; `null`: the loopback. */
  readonly browserProxyHost: string | null;
  readonly browserEgress: "proxy" | "direct";
  /** `null`: by processors. */
  readonly renderConcurrency: number | null;
  readonly renderTimeoutMs: number;
  readonly navigationTimeoutMs: number;
  readonly allowTargets: readonly AllowedTarget[];
  readonly plans: readonly Plan[];
  /** Pauses after failed attempts at a webhook; `null`: the engine's own. */
  readonly webhookPausesMs: readonly number[] | null;
  readonly batchRetentionMs: number;
  /** For how long a batch item goes on after it first met the render limit. */
  readonly batchRetryWindowMs: number;
  /** For how long requests are taken after it is not ready. */
  readonly drainDelayMs: number;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  readonly metrics: boolean;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment is at fault; `mistakes` has a line for each variable. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly mistakes: readonly string[];

  constructor(mistakes: readonly string[]) {
    super(
      mistakes.length === 1
        ? String(mistakes[0])
        : [`${mistakes.length} problems in the configuration:`, ...mistakes].join("\n  "),
    );
    this.mistakes = mistakes;
  }
}

/** May hold a password or a token: named in a mistake, never shown. */
const SECRETS: ReadonlySet<string> = new Set([
  "SNAP_BROWSER_URL",
  "SNAP_DATABASE_URL",
  "SNAP_REDIS_URL",
  "SNAP_SECRET_KEY",
]);
const SHOWN_CHARACTERS = 80;

/**
 * Reads the configuration from the environment. An empty variable counts as unset; `warnings` names
 * variables that look like ours and aren't, and those that have no effect beside others.
 *
 * @throws ConfigError that names every variable at fault, its value, and what would do.
 * @example
 * const { config, warnings } = readConfig(process.env);
 */
export function readConfig(environment: Environment): {
  readonly config: Config;
  readonly warnings: readonly string[];
} {
  const given = givenIn(environment);
  const values = requireValid({
    given,
    result: variables.safeParse(given),
    contradictory: contradictions(given),
  });
  return {
    config: {
      host: values.SNAP_HOST,
      port: values.SNAP_PORT,
      publicUrl: values.SNAP_PUBLIC_URL ?? null,
      dataDir: values.SNAP_DATA_DIR,
      shared: sharedOf(values.SNAP_DATABASE_URL, values.SNAP_REDIS_URL),
      role: values.SNAP_ROLE,
      secretKey: values.SNAP_SECRET_KEY ?? null,
      chromiumPath: values.SNAP_CHROMIUM_PATH ?? null,
      sandbox: values.SNAP_SANDBOX,
      browserEndpoints: values.SNAP_BROWSER_URL ?? [],
      browserProxyHost: values.SNAP_BROWSER_PROXY_HOST ?? null,
      browserEgress: values.SNAP_BROWSER_EGRESS,
      renderConcurrency: values.SNAP_RENDER_CONCURRENCY ?? null,
      renderTimeoutMs: values.SNAP_RENDER_TIMEOUT_MS,
      navigationTimeoutMs:
        values.SNAP_NAVIGATION_TIMEOUT_MS ?? defaultNavigationTimeoutMs(values.SNAP_RENDER_TIMEOUT_MS),
      allowTargets: values.SNAP_ALLOW_TARGETS,
      plans: values.SNAP_PLANS_FILE ?? BUILT_IN_PLANS,
      webhookPausesMs: values.SNAP_WEBHOOK_SCHEDULE ?? null,
      batchRetentionMs: values.SNAP_BATCH_RETENTION,
      batchRetryWindowMs: values.SNAP_RETRY_WINDOW,
      drainDelayMs: values.SNAP_DRAIN_DELAY,
      logLevel: values.SNAP_LOG_LEVEL,
      metrics: values.SNAP_METRICS === "on",
    },
    warnings: warningsOf(given),
  };
}

/** What a move out of the embedded storage needs to know; it serves nobody. */
export type MoveConfig = Pick<Config, "dataDir" | "secretKey"> & { readonly databaseUrl: string | null };

/**
 * As `readConfig`, of the variables that a move reads, which may be set before the others are.
 *
 * @throws ConfigError
 */
export function readMoveConfig(environment: Environment): {
  readonly config: MoveConfig;
  readonly warnings: readonly string[];
} {
  const given = givenIn(environment);
  const read = variables.pick({ SNAP_DATA_DIR: true, SNAP_DATABASE_URL: true, SNAP_SECRET_KEY: true });
  const values = requireValid({ given, result: read.safeParse(given) });
  return {
    config: {
      dataDir: values.SNAP_DATA_DIR,
      databaseUrl: values.SNAP_DATABASE_URL ?? null,
      secretKey: values.SNAP_SECRET_KEY ?? null,
    },
    warnings: warningsOf(given),
  };
}

/** An empty variable counts as unset. */
function givenIn(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name.startsWith("SNAP_") && value !== ""),
  );
}

/** @throws ConfigError that names every mistake. */
function requireValid<Values>({
  given,
  result,
  contradictory = [],
}: {
  readonly given: Environment;
  readonly result: z.ZodSafeParseResult<Values>;
  readonly contradictory?: ReturnType<typeof contradictions>;
}): Values {
  const issues = result.error?.issues.map((issue) => [String(issue.path[0]), issue.message] as const) ?? [];
  const mistakes = [...issues, ...contradictory].map(([name, message]) =>
    describeMistake({ name, message, given }),
  );
  if (!result.success || mistakes.length > 0) throw new ConfigError(mistakes);
  return result.data;
}

function warningsOf(given: Environment): readonly string[] {
  const unknown = Object.keys(given).filter((name) => isUnknown(name, given));
  return [...unknown.map(explain), ...explainUnused(given)];
}

/** What is said of a browser that we start, where we start none. */
function explainUnused(given: Environment): readonly string[] {
  if (given["SNAP_BROWSER_URL"] === undefined) return [];
  return ["SNAP_CHROMIUM_PATH", "SNAP_SANDBOX"]
    .filter((name) => given[name] !== undefined)
    .map((name) => `${name} has no effect because SNAP_BROWSER_URL is set: no local browser is started`);
}

/** Both or none: one without the other is a mistake. */
function sharedOf(databaseUrl: string | undefined, redisUrl: string | undefined): Config["shared"] {
  return databaseUrl === undefined || redisUrl === undefined ? null : { databaseUrl, redisUrl };
}

/** The variables of this version and what they mean, for people. */
export function describeVariables(): readonly (readonly [name: string, meaning: string])[] {
  return documentVariables().map(({ name, meaning, unset }) => [name, `${meaning} (${unset})`]);
}

export interface DocumentedVariable {
  readonly name: string;
  readonly meaning: string;
  /** What holds without it. */
  readonly unset: string;
}

/** The variables of this version; those of parts that aren't built yet have no meaning. */
export function documentVariables(): readonly DocumentedVariable[] {
  return Object.entries(variables.shape).flatMap(([name, field]) => {
    const { description, unset } = field.meta() ?? {};
    return description === undefined ? [] : [{ name, meaning: description, unset: String(unset) }];
  });
}

/** The origin that clients use, for a service that listens at `port`. */
export function publicUrlOf(config: Config, port: number): string {
  if (config.publicUrl !== null) return config.publicUrl;
  const host = REACHABLE[config.host] ?? config.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** Listening at every address is no address to connect to. */
const REACHABLE: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

function describeMistake(fault: { name: string; message: string; given: Environment }): string {
  const { name, message, given } = fault;
  const value = given[name];
  if (value === undefined || SECRETS.has(name)) return `${name}: ${message}`;
  const shown = value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value;
  return `${name} is ${JSON.stringify(shown)}: ${message}`;
}

/** Set by snapd for whatever it starts, editors and their terminals included: no mistake of anybody's. */
const OF_SNAPD =
  /^SNAP_(ARCH|COMMON|CONTEXT|COOKIE|DATA|EUID|INSTANCE_\w+|LAUNCHER_\w+|LIBRARY_PATH|NAME|REAL_HOME|REEXEC|REVISION|UID|USER_\w+|VERSION)$/;

/** What our examples of callers read: set beside ours, they are no mistake either. */
const OF_CALLERS: ReadonlySet<string> = new Set([
  "SNAP_BASE_URL",
  "SNAP_TOKEN",
  "SNAP_TOKEN_ID",
  "SNAP_SIGNING_SECRET",
]);

function isUnknown(name: string, given: Environment): boolean {
  if (Object.hasOwn(variables.shape, name) || OF_CALLERS.has(name)) return false;
  return given["SNAP_REVISION"] === undefined || !OF_SNAPD.test(name);
}

function explain(name: string): string {
  const near = suggestName(name, Object.keys(variables.shape));
  return near === null
    ? `${name} is not a known variable`
    : `${name} is not a known variable; did you mean ${near}?`;
}
