import { isUnspecifiedAddress } from "@snap/engine/internals";
import { suggestName } from "@snap/protocol";
import { findContradictions, type Mistake, type Purpose } from "./config/contradictions.ts";
import { fileVariableOf, readSecretFiles, SECRET_SETTINGS } from "./config/secret-files.ts";
import { defaultNavigationTimeoutMs } from "./config/render-settings.ts";
import type { Setting } from "./config/setting.ts";
import { SETTINGS, type Settings } from "./config/settings.ts";

const PREFIX = "SNAP_";

/** The service's settings: the values from the environment, or their defaults. */
export interface Config extends Omit<Settings, "databaseUrl" | "redisUrl" | "navigationTimeoutMs"> {
  /** PostgreSQL and Redis, shared by several machines; `null` if the data folder holds everything. */
  readonly shared: { readonly databaseUrl: string; readonly redisUrl: string } | null;
  readonly navigationTimeoutMs: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Thrown for an invalid environment; `mistakes` has one line per mistake. */
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

/** A mistake names these variables, but never shows their values. */
const SECRETS: ReadonlySet<string> = new Set(SECRET_SETTINGS.map(({ variable }) => variable));
const SHOWN_CHARACTERS_MAX = 80;

/**
 * Reads the configuration from the environment. An empty variable counts as unset, and a secret can be in a file;
 * `warnings` lists what is valid but probably a mistake, such as unknown `SNAP_*` variables.
 *
 * @param purpose What the configuration is for: `SNAP_ADMIN_URL` is only for commands.
 * @throws ConfigError that names every invalid variable, and says what is valid. Shows the value unless it is secret.
 * @example
 * const { config, warnings } = readConfig(process.env);
 */
export function readConfig(
  environment: Environment,
  purpose: Purpose = "command",
): {
  readonly config: Config;
  readonly warnings: readonly string[];
} {
  const variables = readVariables(environment);
  const { databaseUrl, redisUrl, navigationTimeoutMs, ...settings } = readSettings(
    SETTINGS,
    variables,
    // a secret whose file cannot be read is not missing
    (valid) => findContradictions({ ...variables.fileProblems, ...variables.values }, { valid, purpose }),
  );
  const config = {
    ...settings,
    shared: databaseUrl === null || redisUrl === null ? null : { databaseUrl, redisUrl },
    navigationTimeoutMs: navigationTimeoutMs ?? defaultNavigationTimeoutMs(settings.renderTimeoutMs),
  };
  return { config, warnings: warningsOf(variables.values) };
}

/** The settings of `migrate`, which serves no requests. */
export type MoveConfig = Pick<Settings, "dataDir" | "databaseUrl" | "secretKey">;

/**
 * Like `readConfig`, but reads only the variables of a migration; the others might not be set yet.
 *
 * @throws ConfigError
 */
export function readMoveConfig(environment: Environment): {
  readonly config: MoveConfig;
  readonly warnings: readonly string[];
} {
  const variables = readVariables(environment);
  const { dataDir, databaseUrl, secretKey } = SETTINGS;
  return {
    config: readSettings({ dataDir, databaseUrl, secretKey }, variables),
    warnings: warningsOf(variables.values),
  };
}

/**
 * Like `readConfig`, but reads only `SNAP_FILTER_LISTS`.
 *
 * @throws ConfigError
 */
export function readFilterLists(environment: Environment): Config["filterLists"] {
  const { filterLists } = SETTINGS;
  return readSettings({ filterLists }, readVariables(environment)).filterLists;
}

/** What the environment sets. */
interface LoadedVariables {
  /** The variables, with the secrets that were read from files. */
  readonly values: Environment;
  /** Why the file of a secret cannot be used, by the variable of the setting. */
  readonly fileProblems: Environment;
}

function readVariables(environment: Environment): LoadedVariables {
  const variables = Object.fromEntries(
    Object.entries(environment).filter(([name, value]) => name.startsWith(PREFIX) && value !== ""),
  );
  const { values, problems } = readSecretFiles(variables);
  return { values: { ...variables, ...values }, fileProblems: problems };
}

/**
 * @param contradictionsIn Finds mistakes in combinations of the values that are each valid.
 * @throws ConfigError that names every mistake.
 */
function readSettings<Names extends keyof Settings>(
  settings: Pick<typeof SETTINGS, Names>,
  { values: environment, fileProblems }: LoadedVariables,
  contradictionsIn: (valid: Partial<Settings>) => readonly Mistake[] = () => [],
): Pick<Settings, Names> {
  const values: Record<string, unknown> = {};
  const mistakes: Mistake[] = [];
  for (const [name, setting] of Object.entries<Setting>(settings)) {
    const { variable, schema } = setting;
    const fileProblem = fileProblems[variable];
    if (fileProblem !== undefined) {
      mistakes.push([fileVariableOf(setting), fileProblem]);
      continue;
    }
    const result = schema.safeParse(environment[variable] ?? setting.default);
    values[name] = result.data;
    for (const { message } of result.error?.issues ?? [])
      mistakes.push([sourceOf(setting, environment), message]);
  }
  mistakes.push(...contradictionsIn(values));
  if (mistakes.length > 0)
    throw new ConfigError(mistakes.map(([name, message]) => describeMistake({ name, message, environment })));
  return values as Pick<Settings, Names>;
}

/** Returns the name of the variable that sets a value. */
function sourceOf(setting: Setting, environment: Environment): string {
  const fileVariable = fileVariableOf(setting);
  return setting.secret === true && environment[fileVariable] !== undefined ? fileVariable : setting.variable;
}

function warningsOf(env: Environment): readonly string[] {
  const unknown = Object.keys(env).filter((name) => isUnknown(name, env));
  return [...unknown.map(describeUnknown), ...describeUnused(env), ...describeMissingWorker(env)];
}

/** Variables that have no effect if another one is set: their names, the other one, and why. */
const UNUSED_VARIABLES = [
  [
    ["SNAP_CHROMIUM_PATH", "SNAP_SANDBOX", "SNAP_PAGE_MEMORY_BYTES", "SNAP_PAGE_CPU_SECONDS"],
    "SNAP_BROWSER_URL",
    "no local browser is started",
  ],
  [["SNAP_DISK_RESERVE_BYTES"], "SNAP_REDIS_URL", "renderings are cached in Redis"],
] as const;

function describeUnused(env: Environment): readonly string[] {
  return UNUSED_VARIABLES.flatMap(([names, other, reason]) =>
    names
      .filter((name) => env[name] !== undefined && env[other] !== undefined)
      .map((name) => `${name} has no effect because ${other} is set: ${reason}`),
  );
}

/** Only one service runs on a data folder at a time. */
function describeMissingWorker(env: Environment): readonly string[] {
  if (env["SNAP_ROLE"] !== "api" || env["SNAP_DATABASE_URL"] !== undefined) return [];
  return ["SNAP_ROLE is api, but a data folder cannot have a separate worker, so batches are never rendered"];
}

/** Returns the variables of this release and what they mean, for the help of `serve`. */
export function describeVariables(): readonly (readonly [name: string, meaning: string])[] {
  return listVariables().map(({ name, meaning, defaultDescription }) => [
    name,
    `${meaning} (${defaultDescription})`,
  ]);
}

export interface ListedVariable {
  readonly name: string;
  readonly meaning: string;
  /** What applies if it is not set. */
  readonly defaultDescription: string;
}

/** Returns the variables of this release. */
export function listVariables(): readonly ListedVariable[] {
  return Object.values<Setting>(SETTINGS).flatMap((setting) => {
    const { variable: name, description: meaning } = setting;
    const listed = { name, meaning, defaultDescription: setting.default ?? setting.unset };
    if (setting.secret !== true) return [listed];
    return [
      listed,
      { name: fileVariableOf(setting), meaning: `file that contains ${name}`, defaultDescription: "none" },
    ];
  });
}

/** The origin that clients use, for a service that listens on `port`. */
export function publicUrlOf(config: Config, port: number): string {
  if (config.publicUrl !== null) return config.publicUrl;
  // a URL cannot contain the zone of a link-local address
  const [host = ""] = config.host.split("%");
  if (!host.includes(":")) return `http://${isUnspecifiedAddress(host) ? "127.0.0.1" : host}:${port}`;
  return `http://[${isUnspecifiedAddress(host) ? "::1" : host}]:${port}`;
}

function describeMistake(mistake: { name: string; message: string; environment: Environment }): string {
  const { name, message, environment } = mistake;
  const value = environment[name];
  if (value === undefined || SECRETS.has(name)) return `${name}: ${message}`;
  // a URL may be wrong because it contains a password
  const redacted = value.replace(/\/\/.*@/s, "//…@");
  const shown =
    redacted.length > SHOWN_CHARACTERS_MAX ? `${redacted.slice(0, SHOWN_CHARACTERS_MAX)}…` : redacted;
  return `${name} is ${JSON.stringify(shown)}: ${message}`;
}

/** snapd sets these for every program that it starts, including editors and their terminals, so they are not mistakes. */
const SNAPD_VARIABLES =
  /^SNAP_(ARCH|COMMON|CONTEXT|COOKIE|DATA|EUID|INSTANCE_\w+|LAUNCHER_\w+|LIBRARY_PATH|NAME|REAL_HOME|REEXEC|REVISION|UID|USER_\w+|VERSION)$/;

/** Variables of the client examples. Setting them alongside the server's is not a mistake either. */
const CLIENT_VARIABLES: ReadonlySet<string> = new Set([
  "SNAP_BASE_URL",
  "SNAP_TOKEN_ID",
  "SNAP_SIGNING_SECRET",
]);

const VARIABLES: ReadonlySet<string> = new Set(listVariables().map(({ name }) => name));

function isUnknown(name: string, environment: Environment): boolean {
  if (VARIABLES.has(name) || CLIENT_VARIABLES.has(name)) return false;
  return environment["SNAP_REVISION"] === undefined || !SNAPD_VARIABLES.test(name);
}

/** Compares names without the prefix that they all share: it would make short ones look similar. */
function describeUnknown(name: string): string {
  const known = Array.from(VARIABLES, (variable) => variable.slice(PREFIX.length));
  const closest = suggestName(name.slice(PREFIX.length), known);
  return closest === null
    ? `${name} is not a known variable`
    : `${name} is not a known variable; did you mean ${PREFIX}${closest}?`;
}
