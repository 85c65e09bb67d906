import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import type { RendererHealth, RenderOptions } from "../../ports/renderer.ts";
import type { HostPort } from "../../targets/policy.ts";
import { isPublicAddress, portOf } from "../../targets/target.ts";
import type { RendererSettings } from "../options.ts";
import type { EgressProxyOptions } from "../proxy/proxy.ts";
import { BrowserSupervisor, type TabSource } from "./browser-supervisor.ts";
import { IsolatedBrowsers } from "./isolated-browsers.ts";
import { createLocalBrowserSource } from "./local-browser.ts";
import { PageMonitor } from "./page-monitor.ts";
import { createRemoteBrowserSource } from "./remote-browser.ts";
import { TabPool } from "./tab-pool.ts";

/** As long as the quarantine of an account whose page was ended. */
const SUSPICION_MS = 600_000;
/** An isolated browser usually runs few renders at the same time. */
const ISOLATED_WARM_CONTEXTS = 1;

/** A renderer's browsers. */
export interface Browsers {
  /** Aborts when `close` is called. */
  readonly closing: AbortSignal;
  /** Runs `render` with the tabs of the shared browser, of the key's isolated browser, or of all remote browsers. */
  use<T>(
    isolation: Required<Pick<RenderOptions, "isolationKey" | "isIsolated">>,
    signal: AbortSignal,
    render: (tabs: TabSource) => Promise<T>,
  ): Promise<T>;
  /** Isolates the renders with this key for ten minutes; returns `false` if it cannot. */
  suspect(isolationKey: string): boolean;
  health(): Promise<RendererHealth>;
  close(): Promise<void>;
}

/** Starts a browser on this machine, or connects to the remote ones. */
export function openBrowsers(settings: RendererSettings): Browsers {
  // pages must not reach the DevTools port, because it controls the browser
  const devTools = settings.browserEndpoints.map(({ url }) => ({
    hostname: url.hostname,
    port: portOf(url),
  }));
  const alwaysBlocked = [...(settings.targets.alwaysBlocked ?? []), ...devTools];
  const { resolver, upstreamProxy, targets } = settings;
  const egress = { resolver, upstreamProxy, policy: { ...targets, alwaysBlocked } };
  const [first, ...others] = settings.browserEndpoints.map((endpoint) => {
    const onConnected = (address: string): void => blockAddress(alwaysBlocked, address, endpoint);
    return new BrowserSupervisor(createRemoteBrowserSource(endpoint, { ...settings, egress, onConnected }));
  });
  return first ? remoteBrowsers(new TabPool([first, ...others])) : localBrowsers({ ...settings, egress });
}

/** The service does not start remote browsers, so it cannot isolate their renders from each other. */
function remoteBrowsers(pool: TabPool): Browsers {
  return {
    closing: pool.closing,
    use: (_isolation, _signal, render) => render(pool),
    suspect: () => false,
    health: () => pool.health(),
    close: () => pool.close(),
  };
}

function localBrowsers(settings: RendererSettings & { readonly egress: EgressProxyOptions }): Browsers {
  const closing = new AbortController();
  const monitor = new PageMonitor(settings, closing.signal);
  const start = (isIsolated: boolean): BrowserSupervisor => {
    const warmContexts = isIsolated
      ? Math.min(ISOLATED_WARM_CONTEXTS, settings.warmContexts)
      : settings.warmContexts;
    return new BrowserSupervisor(
      createLocalBrowserSource({ ...settings, warmContexts, monitor, isIsolated }),
    );
  };
  const shared = start(false);
  const isolated = new IsolatedBrowsers({
    start: () => start(true),
    browsersMax: settings.isolatedBrowsersMax,
    idleMaxMs: settings.isolatedIdleMaxMs,
  });
  const suspects = new Map<string, NodeJS.Timeout>();
  return {
    closing: shared.closing,
    use: ({ isolationKey, isIsolated }, signal, render) =>
      isIsolated || suspects.has(isolationKey) ? isolated.use(isolationKey, signal, render) : render(shared),
    suspect(isolationKey) {
      clearTimeout(suspects.get(isolationKey));
      const expiry = setTimeout(() => suspects.delete(isolationKey), SUSPICION_MS);
      suspects.set(isolationKey, expiry.unref());
      return true;
    },
    health: async () => ({ ...(await shared.health()), memoryBytes: monitor.memoryBytes() }),
    async close() {
      closing.abort();
      for (const expiry of suspects.values()) clearTimeout(expiry);
      await Promise.all([shared.close(), isolated.close()]);
    },
  };
}

function blockAddress(blocked: HostPort[], hostname: string, { url }: BrowserEndpoint): void {
  const port = portOf(url);
  const isBlocked = blocked.some((entry) => entry.hostname === hostname && entry.port === port);
  // a public address may be a provider's load balancer, which also serves other sites
  if (!isBlocked && !isPublicAddress(hostname)) blocked.push({ hostname, port });
}
