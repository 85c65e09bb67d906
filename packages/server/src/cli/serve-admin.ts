import { toProblem } from "../admin/problems.ts";
import type { Config } from "../config.ts";
import { suspiciousVariable, warning, type Finding } from "../findings/finding.ts";
import type { AdminOptions } from "../http/admin.ts";
import type { ConsoleSite } from "../http/console.ts";

export interface StartFacts {
  readonly isDev: boolean;
  readonly sandbox: "on" | "off";
  /** Warnings about the configuration. */
  readonly warnings: readonly string[];
}

/** Whether the service serves the console: by default, only with `--dev`. */
function hasConsole({ console: choice, role }: Config, isDev: boolean): boolean {
  return role !== "worker" && (choice ?? isDev);
}

export async function adminOptions(config: Config, facts: StartFacts): Promise<AdminOptions> {
  return {
    console: hasConsole(config, facts.isDev) ? await openConsole() : null,
    token: config.adminToken,
    origin: config.publicUrl,
    plans: config.plans,
    problems: findingsAtStart(config, facts).flatMap(toProblem),
    expectsBackups: config.shared === null && !facts.isDev,
  };
}

/** Loaded lazily, because a service without a console does not need the files. */
async function openConsole(): Promise<ConsoleSite> {
  const { consoleFiles, CONTENT_SECURITY_POLICY } = await import("@snap/console");
  return { files: consoleFiles(), contentSecurityPolicy: CONTENT_SECURITY_POLICY };
}

function findingsAtStart(config: Config, { isDev, sandbox, warnings }: StartFacts): readonly Finding[] {
  return [
    ...(sandbox === "on" ? [] : [SANDBOX_OFF]),
    ...checkEncryption(config, isDev),
    ...warnings.map(suspiciousVariable),
  ];
}

const SANDBOX_OFF = warning(
  "sandbox_off",
  "the browser is running without its sandbox",
  "run `snap-server doctor` to see the fix",
);

const LOOPBACK = /^(localhost|\[?::1\]?|127[.].+)$/;

/** Returns a warning if sessions or the admin token would cross a network unencrypted. */
export function checkEncryption(config: Config, isDev: boolean): readonly Finding[] {
  const { host, publicUrl, role, adminToken } = config;
  const isServed = hasConsole(config, isDev) || (adminToken !== null && role !== "worker");
  const { protocol, hostname } =
    publicUrl === null ? { protocol: "http:", hostname: host } : new URL(publicUrl);
  const isLocal = LOOPBACK.test(host) && LOOPBACK.test(hostname);
  if (!isServed || protocol === "https:" || isLocal) return [];
  return [
    warning(
      "admin_api_unencrypted",
      "the admin API is served without TLS",
      "run the service behind a proxy that terminates TLS, and set SNAP_PUBLIC_URL to the proxy's https:// URL",
    ),
  ];
}
