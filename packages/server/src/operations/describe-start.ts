import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { BUILD } from "../version.ts";
import type { Config } from "../config.ts";
import { upstreamProxyOf } from "../wire.ts";

const VERSION_TIMEOUT_MS = 5_000;

/** What this process is and what it uses, for the first line of its log. Contains no credentials. */
export async function describeStart(config: Config): Promise<Readonly<Record<string, unknown>>> {
  const { shared, browserEndpoints: remote, sandbox } = config;
  return {
    version: BUILD.version,
    commit: BUILD.commit ?? undefined,
    node: process.version,
    role: config.role,
    ...(shared === null
      ? { storage: "embedded", data_dir: config.dataDir }
      : { storage: "postgresql", database: serverOf(shared.databaseUrl), redis: serverOf(shared.redisUrl) }),
    object_store: config.objectStore ?? undefined,
    upstream_proxy: upstreamProxyOf(config)?.origin,
    ...(remote.length === 0
      ? { ...(await describeBrowser(config)), sandbox }
      : { browser: remote.map(({ url }) => `${url.protocol}//${url.host}`).join(", ") }),
  };
}

/** Host, port and database, without user, password and options. */
export function serverOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

/** Runs the program with `--version`, before it is started as a browser. */
async function describeBrowser({ chromiumPath }: Config): Promise<Readonly<Record<string, unknown>>> {
  const { findBrowser } = await import("@snap/engine/puppeteer");
  const path = chromiumPath ?? (await findBrowser());
  if (path === null) return { browser: null };
  return { browser: path, browser_version: await readBrowserVersion(path).catch(() => null) };
}

async function readBrowserVersion(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: VERSION_TIMEOUT_MS });
  return stdout.trim();
}
