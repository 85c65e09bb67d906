import { BUILD } from "../version.ts";
import type { Config } from "../config.ts";
import { upstreamProxyOf } from "../wire.ts";

/** Describes this process and what it uses, for the first line of its log. Contains no credentials. */
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
      ? { browser: await findLocalBrowser(config), sandbox }
      : { browser: remote.map(({ url }) => `${url.protocol}//${url.host}`).join(", ") }),
  };
}

/** Returns the host, the port and the path (the database), without the user, password or options. */
export function serverOf(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

async function findLocalBrowser({ chromiumPath }: Config): Promise<string | null> {
  const { findBrowser } = await import("@snap/engine/puppeteer");
  return chromiumPath ?? findBrowser();
}
