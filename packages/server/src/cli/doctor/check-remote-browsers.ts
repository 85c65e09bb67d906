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
    "browser elsewhere",
    reason ?? `${origin} can't be reached`,
    "see that it runs, that SNAP_BROWSER_URL is its address with the token that it wants, and that SNAP_BROWSER_PROXY_HOST " +
      "is how it reaches this process",
  );
}

function describe({ endpoint, version, egress, gaps }: Connected): readonly Finding[] {
  const way = egress === "proxy" ? "its pages go through the egress proxy" : "its pages connect directly";
  return [
    ok("browser elsewhere", `${version} at ${endpoint}; ${way}`),
    warning(
      "containment",
      `of ${endpoint}: ${gaps.join("; ")}`,
      egress === "direct"
        ? "set SNAP_BROWSER_PROXY_HOST in the place of SNAP_BROWSER_EGRESS=direct; otherwise put the browser into a network that reaches nothing precious"
        : "start that browser with the arguments that docs/explanation/containment.md names, in a network of its own",
    ),
  ];
}
