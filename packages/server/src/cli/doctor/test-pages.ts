import { isSnapError, screenshotParameters, type Renderer, type TargetPolicy } from "@snap/engine";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ok, problem, reasonOf, type Finding } from "../../findings/finding.ts";

/** Checks a renderer with two pages. */
export interface PageChecks {
  /** Renders the allowed page. */
  render(renderer: Renderer): Promise<Finding>;
  /** Requests the forbidden page, which must be blocked. */
  block(renderer: Renderer): Promise<Finding>;
}

/**
 * Serves two pages on separate ports of the loopback address while `work` is running. The policy that `work` receives
 * allows one of them and blocks the other.
 */
export async function withTestPages<T>(
  work: (policy: TargetPolicy, checks: PageChecks) => Promise<T>,
): Promise<T> {
  const hits = { forbidden: 0 };
  const allowed = await servePage(() => {});
  const forbidden = await servePage(() => (hits.forbidden += 1));
  const policy: TargetPolicy = {
    allow: [{ kind: "cidr", address: "127.0.0.1", prefixLength: 32, port: portOf(allowed) }],
    ownHostnames: [],
  };
  try {
    return await work(policy, {
      render: (renderer) => checkRender(renderer, portOf(allowed)),
      block: (renderer) => checkBlocking(renderer, portOf(forbidden), () => hits.forbidden),
    });
  } finally {
    for (const server of [allowed, forbidden]) {
      server.close();
      server.closeAllConnections();
    }
  }
}

const RENDER_ADVICE =
  "raise SNAP_RENDER_TIMEOUT_MS on a slow machine, or try another browser with SNAP_CHROMIUM_PATH";

async function checkRender(renderer: Renderer, port: number): Promise<Finding> {
  const startedMs = performance.now();
  try {
    await renderer.render(screenshotParameters.parse({ url: `http://127.0.0.1:${port}/` }));
    return ok("render", `rendered a page in ${Math.round(performance.now() - startedMs)} ms`);
  } catch (error) {
    return problem("render_fails", `cannot render a page: ${reasonOf(error)}`, RENDER_ADVICE);
  }
}

async function checkBlocking(renderer: Renderer, port: number, hits: () => number): Promise<Finding> {
  const outcome = await renderer
    .render(screenshotParameters.parse({ url: `http://127.0.0.1:${port}/` }))
    .then(
      () => "rendered",
      (error: unknown) => (isSnapError(error) ? error.code : reasonOf(error)),
    );
  if (outcome === "blocked_host" && hits() === 0)
    return ok("egress proxy", "blocks a page on this machine's loopback address");
  if (hits() === 0 && /^(render_timeout|upstream_\w+)$/.test(outcome))
    return problem(
      "render_fails",
      `could not test whether it blocks a page on this machine's loopback address (${outcome})`,
      RENDER_ADVICE,
    );
  return problem(
    "egress_open",
    `did not block a page on this machine's loopback address (${outcome}, ${hits()} requests)`,
    "do not serve untrusted callers from this machine; report this with the browser's version",
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
