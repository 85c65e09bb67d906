import type { BrowserEndpoint } from "@snap/engine/internals";
import type { RendererEvent } from "@snap/engine/puppeteer";
import type { Config } from "../../config.ts";
import { startRenderer } from "../start-renderer.ts";
import { ok, problem, warning, type Finding } from "../../findings/finding.ts";
import { withTestPages } from "./test-pages.ts";

type ConnectedEvent = Extract<RendererEvent, { readonly type: "remote-browser-connected" }>;

/**
 * Checks that each remote browser is reachable, renders an allowed page if it can reach this
 * process, and does not load a blocked one.
 */
export async function checkRemoteBrowsers(config: Config): Promise<readonly Finding[]> {
  const findings = config.browserEndpoints.map((endpoint) => checkBrowser(config, endpoint));
  return (await Promise.all(findings)).flat();
}

async function checkBrowser(config: Config, endpoint: BrowserEndpoint): Promise<readonly Finding[]> {
  return withTestPages(async (targets, checks) => {
    const connections: ConnectedEvent[] = [];
    const onEvent = (event: RendererEvent): void => {
      if (event.type === "remote-browser-connected") connections.push(event);
    };
    const single = { ...config, browserEndpoints: [endpoint] };
    const { renderer, health } = await startRenderer(single, { targets, warmContexts: 1, onEvent });
    try {
      const [connected] = connections;
      if (connected === undefined) return [unreachableFinding(endpoint, health.reason)];
      // a browser on another machine cannot load a page from this loopback address directly
      const reachesPage = connected.egress === "proxy" || endpoint.isLoopback;
      const render = reachesPage ? [await checks.render(renderer)] : [];
      return [...describe(connected), ...render, await checks.block(renderer)];
    } finally {
      await renderer.close();
    }
  });
}

function unreachableFinding({ origin }: BrowserEndpoint, reason: string | null): Finding {
  return problem(
    "remote_browser_unreachable",
    reason ?? `cannot reach ${origin}`,
    "check that it is running, that SNAP_BROWSER_URL has its address and the token it requires, and that it can reach " +
      "this process at SNAP_BROWSER_PROXY_HOST",
  );
}

function describe({ endpoint, version, egress, gaps }: ConnectedEvent): readonly Finding[] {
  const route = egress === "proxy" ? "its pages go through the egress proxy" : "its pages connect directly";
  return [
    ok("remote browser", `${version} at ${endpoint}; ${route}`),
    warning(
      "containment_weak",
      `${endpoint}: ${gaps.join("; ")}`,
      egress === "direct"
        ? "set SNAP_BROWSER_PROXY_HOST instead of SNAP_BROWSER_EGRESS=direct, or move the browser to a network without access to anything sensitive"
        : "start that browser on a separate network, with the arguments listed in docs/explanation/containment.md, and limit its memory, which this check cannot see",
    ),
  ];
}
