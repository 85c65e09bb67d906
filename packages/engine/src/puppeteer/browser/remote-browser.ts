import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { PUBLIC_TARGETS_ONLY } from "../../targets/policy.ts";
import { unless, within } from "../../timeouts.ts";
import { BrowserUnavailable } from "./browser-unavailable.ts";
import { connectBrowser, type RemoteBrowser } from "./connect-browser.ts";
import { describe } from "../describe.ts";
import { openProxiedEgress, type EgressProxyOptions, type Listening } from "../proxy/proxy.ts";
import { openCheckedEgress } from "../proxy/checked-egress.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import type { BrowserEgress, RendererEvent } from "../renderer-event.ts";
import { RenderingBrowser, type BrowserNews } from "./rendering-browser.ts";
import type { BrowserSource } from "./tab-supply.ts";
import { openTab, type TabHost } from "../page/tab.ts";
import { awaitSilence, type ProbeOptions } from "./watch-browser.ts";

const LOOPBACK = "127.0.0.1";
/** An address that a lane refuses, and that browsers would reach without a proxy if they may. */
const REFUSED_URL = "http://127.0.0.1/";
const VERIFY_TIMEOUT_MS = 10_000;

export interface RemoteBrowserOptions extends ProbeOptions {
  readonly egress: EgressProxyOptions;
  readonly browserEgress: BrowserEgress;
  /** Name or address of ours by which it reaches our proxies; `null`: the loopback. */
  readonly browserProxyHost: string | null;
  readonly warmContexts: number;
  readonly onEvent: (event: RendererEvent) => void;
  /** Told the address that the endpoint has. */
  readonly onReached: (address: string) => void;
}

/** A browser that somebody else started: connected to, and left as it was found. */
export function remoteBrowser(endpoint: BrowserEndpoint, options: RemoteBrowserOptions): BrowserSource {
  const { onEvent } = options;
  const { origin } = endpoint;
  return {
    async start(closing) {
      try {
        const remote = await connectBrowser(endpoint, closing);
        options.onReached(plain(remote.remoteAddress));
        closing.addEventListener("abort", () => void remote.kill(), { signal: remote.gone });
        const browser = await startRendering(remote, { ...options, endpoint });
        void awaitSilence(remote, options, () => {}).then(
          () => {
            onEvent({ type: "remote-browser-unresponsive", endpoint: origin });
            return remote.kill();
          },
          () => {}, // it is gone already
        );
        return browser;
      } catch (error) {
        closing.throwIfAborted();
        if (error instanceof BrowserUnavailable) throw error;
        throw new BrowserUnavailable(`${origin} is not usable: ${describe(error)}`);
      }
    },
    onStartFailed: (failure) => onEvent({ type: "remote-browser-refused", endpoint: origin, ...failure }),
  };
}

type Facts = RemoteBrowserOptions & { readonly endpoint: BrowserEndpoint };

function startRendering(remote: RemoteBrowser, facts: Facts): Promise<RenderingBrowser> {
  const { egress, browserEgress, browserProxyHost, warmContexts } = facts;
  const isProxied = browserEgress === "proxy";
  const listening = listenFor(remote, browserProxyHost ?? LOOPBACK);
  return RenderingBrowser.start(remote, {
    openLane: isProxied
      ? () => openProxiedEgress(egress, listening)
      : () => Promise.resolve(openCheckedEgress(egress)),
    warmContexts,
    recycling: null,
    verify: async (host) => {
      if (isProxied) await requireProxy(host, { ...facts, listening });
    },
    news: newsOf(remote, facts),
  });
}

function newsOf(remote: RemoteBrowser, { endpoint, browserEgress: egress, onEvent }: Facts): BrowserNews {
  const { version, commandLine } = remote;
  const gaps = findContainmentGaps({ commandLine, egress });
  const facts = { endpoint: endpoint.origin };
  return {
    started: () => onEvent({ type: "remote-browser-connected", ...facts, version, egress, gaps }),
    ended: (reason) => onEvent({ type: "remote-browser-ended", ...facts, reason }),
    recycled: () => {}, // it never is
  };
}

const WEBRTC = /--(force-)?webrtc-ip-handling-policy[= ]\W*disable_non_proxied_udp/;
const DIRECT =
  "pages connect directly from the browser's network, which must contain them: URLs are checked before each request, except those of WebSockets, workers, prefetches and prerendered pages, and the size of a page is not limited";

interface Started {
  /** Every argument of the browser; `null` when it doesn't tell. */
  readonly commandLine: string | null;
  readonly egress: BrowserEgress;
}

/**
 * What does not hold, of the containment that a browser of our own has, for one that somebody else
 * started: a sentence each, for the operator.
 */
function findContainmentGaps({ commandLine, egress }: Started): readonly string[] {
  const told = commandLine ?? "";
  const gaps = [
    [egress === "direct", DIRECT],
    [!WEBRTC.test(told), "WebRTC may send UDP datagrams from the browser's network"],
    [!told.includes("--host-resolver-rules"), "host names may be looked up from the browser's network"],
    [commandLine === null, "whether its pages run in a sandbox is unknown"],
    [told.includes("--no-sandbox"), "its pages run without a sandbox"],
    [true, "the memory of its pages and processes is not limited"],
  ] as const;
  return gaps.flatMap(([holds, sentence]) => (holds ? [sentence] : []));
}

/**
 * A lane that is reachable from elsewhere is open to the browser's own machine alone, or it would be
 * anybody's proxy.
 */
function listenFor(remote: RemoteBrowser, host: string): Listening {
  const remoteHost = plain(remote.remoteAddress);
  const isHere = remoteHost === plain(remote.localAddress);
  return {
    host,
    admits(client) {
      const from = plain(client.remoteAddress ?? "");
      return from === remoteHost || (isHere && from === plain(client.localAddress ?? ""));
    },
  };
}

/** IPv4 as IPv6 sockets write it (RFC 4291, 2.5.5.2) is IPv4. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, "");
}

/**
 * Holds that the browser's pages go through our proxy, and don't go around it for the loopback: one is
 * sent to an address that a lane refuses, and the lane must have been asked.
 */
async function requireProxy(host: TabHost, facts: Facts & { readonly listening: Listening }): Promise<void> {
  const { egress, endpoint, listening } = facts;
  const openLane = (): Promise<PageEgress> =>
    openProxiedEgress({ ...egress, policy: PUBLIC_TARGETS_ONLY }, listening);
  const tab = await openTab({ ...host, openLane }, null);
  const reason = (): Error => new BrowserUnavailable(`${endpoint.origin}: ${notProxied(listening)}`);
  const limit = { signal: host.browser.gone, durationMs: VERIFY_TIMEOUT_MS, reason };
  try {
    await within(limit, (signal) => unless(signal, tab.session.send("Page.navigate", { url: REFUSED_URL })));
    if (tab.lane.refusal(REFUSED_URL) !== "blocked") throw reason();
  } finally {
    void tab.close();
  }
}

function notProxied({ host }: Listening): string {
  return (
    `its pages don't use the egress proxy at ${host}. Either the browser can't reach the proxy, or it connects from ` +
    "another address than that of its endpoint, or its provider ignores the proxy of a browser context"
  );
}
