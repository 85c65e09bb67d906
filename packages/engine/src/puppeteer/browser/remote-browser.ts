import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { PUBLIC_TARGETS_ONLY } from "../../targets/policy.ts";
import { abortable, withTimeout } from "../../timeouts.ts";
import { BrowserUnavailable } from "./browser-unavailable.ts";
import { connectBrowser, type RemoteBrowser } from "./connect-browser.ts";
import { describe } from "../describe.ts";
import { openProxiedEgress, type EgressProxyOptions, type ListenOptions } from "../proxy/proxy.ts";
import { openCheckedEgress } from "../proxy/checked-egress.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import type { BrowserEgress, RendererEvent } from "../renderer-event.ts";
import { RenderingBrowser, type BrowserListener } from "./rendering-browser.ts";
import type { BrowserSource } from "./browser-supervisor.ts";
import { openTab, type TabHost } from "../page/tab.ts";
import { waitUntilUnresponsive, withLongerTimeout, type ProbeOptions } from "./watch-browser.ts";

const LOOPBACK = "127.0.0.1";
/** Rejected by the egress proxy; browsers bypass a proxy for loopback addresses by default. */
const BLOCKED_URL = "http://127.0.0.1/";
const VERIFY_TIMEOUT_MS = 10_000;

export interface RemoteBrowserOptions extends ProbeOptions {
  readonly egress: EgressProxyOptions;
  readonly browserEgress: BrowserEgress;
  /** Host name or address at which the browser reaches the egress proxies; `null` means a loopback address. */
  readonly browserProxyHost: string | null;
  /** The user agent that pages send; `null` means the browser's own without the word Headless. */
  readonly userAgent: string | null;
  readonly warmContexts: number;
  readonly onEvent: (event: RendererEvent) => void;
  /** Called with the endpoint's IP address. */
  readonly onConnected: (address: string) => void;
}

/** Connects to a remote browser, which keeps running after a disconnect. */
export function createRemoteBrowserSource(
  endpoint: BrowserEndpoint,
  options: RemoteBrowserOptions,
): BrowserSource {
  const { onEvent } = options;
  const { origin } = endpoint;
  return {
    async start(closing) {
      try {
        const remote = await connectBrowser(endpoint, options, closing);
        options.onConnected(unmapIpv4(remote.remoteAddress));
        closing.addEventListener("abort", () => void remote.kill(), { signal: remote.disconnected });
        const browser = await startRendering(remote, { ...options, endpoint });
        const probe = { ...withLongerTimeout(options), command: "Browser.getVersion" } as const;
        void waitUntilUnresponsive(remote, probe, {
          onSlow: () => {},
          onResponsive: () => {},
        }).then(
          () => {
            onEvent({ type: "remote-browser-unresponsive", endpoint: origin });
            return remote.kill();
          },
          () => {}, // already disconnected
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

type EndpointOptions = RemoteBrowserOptions & { readonly endpoint: BrowserEndpoint };

function startRendering(remote: RemoteBrowser, options: EndpointOptions): Promise<RenderingBrowser> {
  const { egress, browserEgress, browserProxyHost, warmContexts } = options;
  const isProxied = browserEgress === "proxy";
  const listenOptions = listenOptionsFor(remote, browserProxyHost ?? LOOPBACK);
  return RenderingBrowser.start(remote, {
    processGroup: null,
    openEgress: isProxied
      ? () => openProxiedEgress(egress, listenOptions)
      : () => Promise.resolve(openCheckedEgress(egress)),
    warmContexts,
    recycling: null,
    verify: async (host) => {
      if (isProxied) await requireProxy(host, { ...options, listen: listenOptions });
    },
    listener: lifecycleListener(remote, options),
  });
}

function lifecycleListener(
  remote: RemoteBrowser,
  { endpoint, browserEgress: egress, onEvent }: EndpointOptions,
): BrowserListener {
  const { version, commandLine } = remote;
  const gaps = findContainmentGaps({ commandLine, egress });
  const { origin } = endpoint;
  return {
    onStarted: () => onEvent({ type: "remote-browser-connected", endpoint: origin, version, egress, gaps }),
    onEnded: (reason) => onEvent({ type: "remote-browser-ended", endpoint: origin, reason }),
    onRecycled: () => {}, // remote browsers are never recycled
  };
}

/** Without an address for `.local`, names of WebRTC candidates are looked up with multicast DNS. */
const RESOLVER_RULES = /--host-resolver-rules[= ].*MAP \*\.local \d.*MAP \* /;
const WEBRTC = /--(force-)?webrtc-ip-handling-policy[= ]\W*disable_non_proxied_udp/;
const DIRECT =
  "pages connect directly from the browser's network, which must itself keep them from reaching private hosts: URLs are checked before each request, except those of WebSockets, workers, prefetches and prerendered pages, and the size of a page is not limited";

interface BrowserSetup {
  /** The browser's command line; `null` if it does not report one. */
  readonly commandLine: string | null;
  readonly egress: BrowserEgress;
}

/**
 * Returns how a remote browser's containment is weaker than a local one's: a phrase for each gap, for the operator
 * (docs/explanation/containment.md).
 */
function findContainmentGaps({ commandLine, egress }: BrowserSetup): readonly string[] {
  const launchArguments = commandLine ?? "";
  const gaps = [
    [egress === "direct", DIRECT],
    [!WEBRTC.test(launchArguments), "WebRTC may send UDP datagrams from the browser's network"],
    [!RESOLVER_RULES.test(launchArguments), "host names may be looked up from the browser's network"],
    [commandLine === null, "whether its pages run in a sandbox is unknown"],
    [launchArguments.includes("--no-sandbox"), "its pages run without a sandbox"],
    [true, "the memory of its pages and processes is not limited"],
  ] as const;
  return gaps.flatMap(([exists, description]) => (exists ? [description] : []));
}

/** Accepts only clients on the browser's machine, because the proxy may be reachable from other hosts. */
function listenOptionsFor(remote: RemoteBrowser, host: string): ListenOptions {
  const browserAddress = unmapIpv4(remote.remoteAddress);
  const isSameMachine = browserAddress === unmapIpv4(remote.localAddress);
  return {
    host,
    accepts(client) {
      const clientAddress = unmapIpv4(client.remoteAddress ?? "");
      return (
        clientAddress === browserAddress ||
        (isSameMachine && clientAddress === unmapIpv4(client.localAddress ?? ""))
      );
    },
  };
}

/** Converts an IPv4-mapped IPv6 address (RFC 4291, 2.5.5.2) to IPv4. */
function unmapIpv4(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, "");
}

/**
 * Requires that the browser's pages use the egress proxy, even for loopback addresses: navigates to a URL that the
 * proxy rejects, and checks that the proxy saw the request.
 */
async function requireProxy(
  host: TabHost,
  options: EndpointOptions & { readonly listen: ListenOptions },
): Promise<void> {
  const { egress, endpoint, listen } = options;
  const openEgress = (): Promise<PageEgress> =>
    openProxiedEgress({ ...egress, policy: PUBLIC_TARGETS_ONLY }, listen);
  const tab = await openTab({ ...host, openEgress }, null);
  const reason = (): Error => new BrowserUnavailable(`${endpoint.origin}: ${describeBypass(listen)}`);
  const limit = { signal: host.browser.disconnected, durationMs: VERIFY_TIMEOUT_MS, reason };
  try {
    await withTimeout(limit, (signal) =>
      abortable(signal, tab.session.send("Page.navigate", { url: BLOCKED_URL })),
    );
    if (tab.egress.failure(BLOCKED_URL) !== "blocked") throw reason();
  } finally {
    void tab.close();
  }
}

function describeBypass({ host }: ListenOptions): string {
  return (
    `its pages do not use the egress proxy at ${host}. Either the browser cannot reach the proxy, or it connects from ` +
    "an address other than its endpoint's, or its provider ignores a browser context's proxy"
  );
}
