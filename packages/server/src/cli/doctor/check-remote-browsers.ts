import type { BrowserEndpoint } from "@snap/engine/internals";
import type { RendererEvent } from "@snap/engine/puppeteer";
import type { Config } from "../../config.ts";
import { startRenderer } from "../start-renderer.ts";
import { ok, problem, warning, type Finding } from "./finding.ts";
import { tryPages } from "./try-pages.ts";

type Connected = Extract<RendererEvent, { readonly type: "remote-browser-connected" }>;

/** Each browser that runs elsewhere: it is reached, renders, can't reach the loopback, and what it lacks. */
export async function checkRemoteBrowsers(config: Config): Promise<readonly Finding[]> {
  const findings = config.browserEndpoints.map((endpoint) => checkBrowser(config, endpoint));
  return (await Promise.all(findings)).flat();
}

async function checkBrowser(config: Config, endpoint: BrowserEndpoint): Promise<readonly Finding[]> {
  return tryPages(async (targets, trials) => {
    const connections: Connected[] = [];
    const onEvent = (event: RendererEvent): void => {
      if (event.type === "remote-browser-connected") connections.push(event);
    };
    const alone = { ...config, browserEndpoints: [endpoint] };
    const { renderer, health } = await startRenderer(alone, { targets, warmContexts: 1, onEvent });
    try {
      const [connected] = connections;
      if (connected === undefined) return [refused(endpoint, health.reason)];
      // the page of this machine's loopback is none of another's
      const reachesPage = connected.egress === "proxy" || endpoint.isLoopback;
      const render = reachesPage ? [await trials.render(renderer)] : [];
      return [...describe(connected), ...render, await trials.refusal(renderer)];
    } finally {
      await renderer.close();
    }
  });
}

function refused({ origin }: BrowserEndpoint, reason: string | null): Finding {
  return problem(
    "remote browser",
    reason ?? `cannot reach ${origin}`,
    "check that it runs, that SNAP_BROWSER_URL has its address and the token it requires, and that it reaches this " +
      "process under SNAP_BROWSER_PROXY_HOST",
  );
}

function describe({ endpoint, version, egress, gaps }: Connected): readonly Finding[] {
  const way = egress === "proxy" ? "its pages go through the egress proxy" : "its pages connect directly";
  return [
    ok("remote browser", `${version} at ${endpoint}; ${way}`),
    warning(
      "containment",
      `${endpoint}: ${gaps.join("; ")}`,
      egress === "direct"
        ? "set SNAP_BROWSER_PROXY_HOST instead of SNAP_BROWSER_EGRESS=direct, or move the browser to a network without access to anything sensitive"
        : "start that browser in a separate network, with the arguments listed in docs/explanation/containment.md",
    ),
  ];
}
