import { suggestName } from "@snap/protocol";
import type { Settings } from "./settings.ts";

/** Whether the variables are for the service, or for a command. */
export type Purpose = "command" | "service";

/** The name of a variable, and what is wrong with it. */
export type Mistake = readonly [variable: string, message: string];

/** Returns mistakes in combinations of variables; `valid` contains only settings that are valid on their own. */
export function findContradictions(
  env: Readonly<Record<string, unknown>>,
  { valid, purpose }: { readonly valid: Partial<Settings>; readonly purpose: Purpose },
): readonly Mistake[] {
  return [
    ...checkAdminUrl(env, purpose),
    ...checkTimeouts(valid),
    ...checkSharedStorage(env),
    ...checkRemoteBrowsers(env, valid),
    ...checkUpstreamProxy(env),
    ...checkObjectStore(env, valid),
  ];
}

function checkTimeouts({
  navigationTimeoutMs: navigationMs,
  renderTimeoutMs: renderMs,
}: Partial<Settings>): readonly Mistake[] {
  if (renderMs === undefined || (navigationMs ?? 0) <= renderMs) return [];
  return [["SNAP_NAVIGATION_TIMEOUT_MS", `must not exceed SNAP_RENDER_TIMEOUT_MS (${renderMs})`]];
}

/** `serve` has direct access to the storage, so it rejects SNAP_ADMIN_URL. */
function* checkAdminUrl(env: Readonly<Record<string, unknown>>, purpose: Purpose): Generator<Mistake> {
  if (env["SNAP_ADMIN_URL"] === undefined) return;
  if (purpose === "service") yield ["SNAP_ADMIN_URL", "is only for commands; unset it for serve"];
  else if (env["SNAP_ADMIN_TOKEN"] === undefined)
    yield [
      "SNAP_ADMIN_TOKEN",
      "must be set together with SNAP_ADMIN_URL, to the SNAP_ADMIN_TOKEN of that service",
    ];
}

/** Processes on several machines must agree on the storage they share. */
function* checkSharedStorage(env: Readonly<Record<string, unknown>>): Generator<Mistake> {
  const [database, redis] = [env["SNAP_DATABASE_URL"], env["SNAP_REDIS_URL"]];
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
  if (database !== undefined && env["SNAP_SECRET_KEY"] === undefined)
    yield [
      "SNAP_SECRET_KEY",
      "must be set together with SNAP_DATABASE_URL, to the same value for every process",
    ];
  if (env["SNAP_ROLE"] === "worker" && env["SNAP_PUBLIC_URL"] === undefined)
    yield ["SNAP_PUBLIC_URL", "must be set for a worker, because webhooks contain links to it"];
}

/** For browsers on other machines, the operator must choose how pages reach the web. */
function checkRemoteBrowsers(
  env: Readonly<Record<string, unknown>>,
  { browserEndpoints: endpoints }: Partial<Settings>,
): readonly Mistake[] {
  if (endpoints === undefined) return [];
  const isDirect = env["SNAP_BROWSER_EGRESS"] === "direct";
  const isProxied = env["SNAP_BROWSER_PROXY_HOST"] !== undefined;
  if (endpoints.length === 0)
    return ["SNAP_BROWSER_PROXY_HOST", "SNAP_BROWSER_EGRESS"].flatMap((name) =>
      env[name] === undefined
        ? []
        : [[name, "only applies to remote browsers; also set SNAP_BROWSER_URL, or unset this one"]],
    );
  if (env["SNAP_ISOLATION"] === "account") return [["SNAP_ISOLATION", ISOLATION_NEEDS_LOCAL]];
  if (isDirect && isProxied)
    return [["SNAP_BROWSER_PROXY_HOST", "has no effect with SNAP_BROWSER_EGRESS=direct; unset one of them"]];
  if (isDirect || isProxied || endpoints.every(({ isLoopback }) => isLoopback)) return [];
  return [["SNAP_BROWSER_URL", PROXY_HOST_MISSING]];
}

function* checkUpstreamProxy(env: Readonly<Record<string, unknown>>): Generator<Mistake> {
  if (env["SNAP_UPSTREAM_PROXY"] === undefined) {
    for (const name of ["SNAP_NO_PROXY", "SNAP_UPSTREAM_PROXY_DNS"])
      if (env[name] !== undefined)
        yield [name, "only applies to an upstream proxy; also set SNAP_UPSTREAM_PROXY, or unset this one"];
  } else if (env["SNAP_BROWSER_EGRESS"] === "direct") {
    yield [
      "SNAP_UPSTREAM_PROXY",
      "has no effect on pages with SNAP_BROWSER_EGRESS=direct; unset one of them",
    ];
  }
}

function checkObjectStore(
  env: Readonly<Record<string, unknown>>,
  { stores }: Partial<Settings>,
): readonly Mistake[] {
  const [name, file] = [env["SNAP_OBJECT_STORE"], env["SNAP_STORES_FILE"]];
  if (typeof name !== "string") return [];
  if (file === undefined)
    return [["SNAP_OBJECT_STORE", "names a store in SNAP_STORES_FILE; also set that, or unset this one"]];
  if (stores === undefined) return [];
  const store = stores.find((candidate) => candidate.name === name);
  if (store === undefined) {
    const names = stores.map((candidate) => candidate.name);
    const closest = suggestName(name, names);
    const others = names.length === 0 ? "it has none" : `use ${names.join(" or ")}`;
    const advice = closest === null ? others : `did you mean ${closest}?`;
    return [["SNAP_OBJECT_STORE", `must be the name of a store in SNAP_STORES_FILE; ${advice}`]];
  }
  if (store.accounts === undefined) return [];
  return [
    [
      "SNAP_OBJECT_STORE",
      "must be a store that is not limited to some accounts: it caches the renderings of all accounts",
    ],
  ];
}

const ISOLATION_NEEDS_LOCAL =
  "account requires local browsers, because the service does not start remote ones; unset it, or unset SNAP_BROWSER_URL";

const PROXY_HOST_MISSING =
  "a browser on another machine needs this process's egress proxy to reach the web; set SNAP_BROWSER_PROXY_HOST " +
  "to the name or address at which it reaches this process, or set SNAP_BROWSER_EGRESS=direct to bypass the " +
  "proxy, which leaves the containment of untrusted pages to the browser's own network";
