import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import type { Config } from "../../config.ts";
import { startRenderer, type StartedRenderer } from "../start-renderer.ts";
import { checkRemoteBrowsers } from "./check-remote-browsers.ts";
import { ok, problem, reasonOf, warning, type Finding } from "../../findings/finding.ts";
import { withTestPages } from "./test-pages.ts";

const VERSION_TIMEOUT_MS = 10_000;
const INSTALL_ADVICE =
  "install one (apt-get install chromium-headless-shell), or set SNAP_CHROMIUM_PATH to an installed one";

/**
 * Checks that the browser exists, starts in its sandbox, renders an allowed page, and does not load
 * a blocked one.
 */
export async function checkBrowser(config: Config): Promise<readonly Finding[]> {
  if (config.browserEndpoints.length > 0) return checkRemoteBrowsers(config);
  const { findBrowser } = await import("@snap/engine/puppeteer");
  const path = config.chromiumPath ?? (await findBrowser());
  if (path === null) return [problem("browser_missing", "no browser found", INSTALL_ADVICE)];
  const browser = await readVersion(path);
  return browser.status === "ok"
    ? [browser, ...(await tryBrowser(config)), checkPageLimits(config)]
    : [browser];
}

/** The service reads each page's usage from /proc. */
function checkPageLimits({ pageCpuSeconds }: Config): Finding {
  if (existsSync("/proc/self/stat"))
    return ok("page limits", `memory, events and ${pageCpuSeconds} s of CPU time per page`);
  return warning(
    "page_limits_missing",
    "this system has no /proc, so the memory and CPU time of pages are unlimited",
    "run the service on Linux, or only for pages that you trust",
  );
}

async function readVersion(path: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: VERSION_TIMEOUT_MS });
    return ok("browser", `${stdout.trim() || "unknown version"}, ${path}`);
  } catch (error) {
    return problem("browser_fails", `cannot run ${path}: ${reasonOf(error)}`, INSTALL_ADVICE);
  }
}

async function tryBrowser(config: Config): Promise<readonly Finding[]> {
  return withTestPages(async (targets, checks) => {
    const started = await startRenderer(config, { targets, warmContexts: 1 });
    try {
      const sandbox = await sandboxFinding(config, started);
      if (!started.health.ready) return [sandbox];
      return [sandbox, await checks.render(started.renderer), await checks.block(started.renderer)];
    } finally {
      await started.renderer.close();
    }
  });
}

async function sandboxFinding(config: Config, { health, sandbox }: StartedRenderer): Promise<Finding> {
  if (!health.ready)
    return problem(
      "browser_start_failed",
      health.reason ?? "the browser does not start",
      "start it by hand to see why; ldd lists missing libraries, which apt-get installs along with a browser",
    );
  if (sandbox === "on") return ok("sandbox", "the browser starts in its sandbox");
  if (config.sandbox === "off")
    return warning(
      "sandbox_off",
      "the sandbox is off (SNAP_SANDBOX=off)",
      "unset SNAP_SANDBOX, unless this machine holds nothing confidential",
    );
  return problem(
    "sandbox_missing",
    "the browser starts only without its sandbox",
    `allow unprivileged user namespaces (${await namespaceAdvice()}), or accept the risk with SNAP_SANDBOX=off`,
  );
}

/** Settings that can forbid user namespaces, each with the value that forbids and the value that permits them. */
const NAMESPACE_SETTINGS = [
  { name: "user.max_user_namespaces", forbids: "0", permits: "10000" },
  { name: "kernel.unprivileged_userns_clone", forbids: "0", permits: "1" },
  { name: "kernel.apparmor_restrict_unprivileged_userns", forbids: "1", permits: "0" },
] as const;

/**
 * Returns the commands that permit user namespaces on this system. If none of the settings forbids
 * them, a container does.
 */
async function namespaceAdvice(): Promise<string> {
  const commands = await Promise.all(
    NAMESPACE_SETTINGS.map(async ({ name, forbids, permits }) => {
      const value = await readFile(`/proc/sys/${name.replaceAll(".", "/")}`, "utf8").catch(() => "");
      return value.trim() === forbids ? [`sysctl -w ${name}=${permits}`] : [];
    }),
  );
  return commands.flat().join(", ") || "in a container, with a seccomp profile that permits them";
}
