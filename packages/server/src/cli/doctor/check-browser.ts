import { isSnapError, screenshotParameters, type TargetPolicy } from "@snap/engine";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import type { Config } from "../../config.ts";
import { startRenderer, type StartedRenderer } from "../start-renderer.ts";
import { ok, problem, reasonOf, warning, type Finding } from "./finding.ts";

const VERSION_TIMEOUT_MS = 10_000;
const INSTALL =
  "install one: apt-get install chromium-headless-shell, or set SNAP_CHROMIUM_PATH to the one you have";

/** The browser is there, starts in its sandbox, renders, and can't reach the loopback. */
export async function checkBrowser(config: Config): Promise<readonly Finding[]> {
  const { findBrowser } = await import("@snap/engine/puppeteer");
  const path = config.chromiumPath ?? (await findBrowser());
  if (path === null) return [problem("browser", "no browser was found", INSTALL)];
  const found = await readVersion(path);
  return found.status === "ok" ? [found, ...(await tryBrowser(config))] : [found];
}

async function readVersion(path: string): Promise<Finding> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { timeout: VERSION_TIMEOUT_MS });
    return ok("browser", `${stdout.trim() || "version not known"}, ${path}`);
  } catch (error) {
    return problem("browser", `${path} can't be run: ${reasonOf(error)}`, INSTALL);
  }
}

/** One page that may be rendered, and one that may not: both on the loopback, at a port of their own. */
async function tryBrowser(config: Config): Promise<readonly Finding[]> {
  const hits = { forbidden: 0 };
  const allowed = await servePage(() => {});
  const forbidden = await servePage(() => (hits.forbidden += 1));
  const policy: TargetPolicy = {
    allow: [{ kind: "block", address: "127.0.0.1", prefixLength: 32, port: portOf(allowed) }],
    ownHostnames: [],
  };
  const started = await startRenderer(config, { policy, warmContexts: 1 });
  try {
    const sandbox = sandboxFinding(config, started);
    if (!started.health.ready) return [sandbox];
    return [
      sandbox,
      await renderFinding(started, portOf(allowed)),
      await refusalFinding(started, portOf(forbidden), () => hits.forbidden),
    ];
  } finally {
    await started.renderer.close();
    for (const server of [allowed, forbidden]) {
      server.close();
      server.closeAllConnections();
    }
  }
}

function sandboxFinding(config: Config, { health, sandbox }: StartedRenderer): Finding {
  if (!health.ready)
    return problem(
      "browser start",
      health.reason ?? "the browser does not start",
      "start it by hand to see why; a missing library is named by ldd, and apt-get installs it with the browser",
    );
  if (sandbox === "on") return ok("sandbox", "the browser starts in its sandbox");
  if (config.sandbox === "off")
    return warning(
      "sandbox",
      "it is switched off: SNAP_SANDBOX=off",
      "unset SNAP_SANDBOX unless this machine holds nothing that a hostile page may read",
    );
  return problem(
    "sandbox",
    "the browser starts only without its sandbox",
    "allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone=1, or a seccomp profile that permits " +
      "them for a container), or accept the risk with SNAP_SANDBOX=off",
  );
}

async function renderFinding({ renderer }: StartedRenderer, port: number): Promise<Finding> {
  const startedMs = performance.now();
  try {
    await renderer.render(screenshotParameters.parse({ url: `http://127.0.0.1:${port}/` }));
    return ok("render", `a page was rendered in ${Math.round(performance.now() - startedMs)} ms`);
  } catch (error) {
    return problem(
      "render",
      `a page could not be rendered: ${reasonOf(error)}`,
      "raise SNAP_RENDER_TIMEOUT_MS on a slow machine; otherwise try another browser with SNAP_CHROMIUM_PATH",
    );
  }
}

async function refusalFinding(
  { renderer }: StartedRenderer,
  port: number,
  hits: () => number,
): Promise<Finding> {
  const outcome = await renderer
    .render(screenshotParameters.parse({ url: `http://127.0.0.1:${port}/` }))
    .then(
      () => "rendered",
      (error: unknown) => (isSnapError(error) ? error.code : reasonOf(error)),
    );
  if (outcome === "blocked_host" && hits() === 0)
    return ok("egress proxy", "a page on this machine's loopback is refused");
  return problem(
    "egress proxy",
    `a page on this machine's loopback was not refused (${outcome}, ${hits()} requests)`,
    "do not serve strangers from this machine; report it with the browser's version",
  );
}

async function servePage(onRequest: () => void): Promise<Server> {
  const server = createServer((_, response) => {
    onRequest();
    response
      .writeHead(200, { "content-type": "text/html" })
      .end("<!doctype html><title>snap</title><h1>snap</h1>");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
