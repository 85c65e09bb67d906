import { SnapError } from "../errors.ts";
import type { Renderer } from "../ports/renderer.ts";
import type { BrowserEndpoint } from "../browser-endpoints.ts";
import { isPublicAddress } from "../targets/target.ts";
import type { ClosedSocket } from "../targets/policy.ts";
import { withTimeout } from "../timeouts.ts";
import { readOptions, type PuppeteerRendererOptions, type RendererSettings } from "./options.ts";
import { localBrowser } from "./browser/local-browser.ts";
import { remoteBrowser } from "./browser/remote-browser.ts";
import { renderPage } from "./page/render-page.ts";
import { TabLost } from "./page/tab.ts";
import { TabPool } from "./browser/tab-pool.ts";
import { BrowserSupervisor, type TabSource } from "./browser/browser-supervisor.ts";

/** One retry if the browser or the page's process exits during a render. */
const ATTEMPTS_MAX = 2;

/**
 * Creates a renderer that drives Chromium. The browser starts immediately, in the background. Each render has its own
 * browser context and its own egress proxy, which carries all its connections. With `browserUrls` the renderer starts
 * no browser, and balances renders over those remote browsers instead.
 *
 * `render` throws a `SnapError`: `blocked_host`, `target_unreachable`, `render_failed`, `render_timeout`, or
 * `upstream_error` if the browser failed twice or cannot start. With remote browsers also `upstream_rate_limited` and
 * `upstream_quota_exceeded`, if none of them is available.
 *
 * @throws RangeError if an option is out of range; the message names the option.
 *
 * @example
 * const renderer = createPuppeteerRenderer();
 * const parameters = screenshotParameters.parse({ url: "https://example.com/", fullPage: true });
 * const { bytes, contentType, targetStatus } = await renderer.render(parameters);
 * await renderer.close();
 */
export function createPuppeteerRenderer(options: PuppeteerRendererOptions = {}): Renderer {
  const { renderTimeoutMs, navigationTimeoutMs, maxRenderingBytes, ...settings } = readOptions(options);
  const tabs = openTabSource(settings);
  const reason = (): SnapError =>
    new SnapError("render_timeout", `The render did not finish within ${renderTimeoutMs} ms.`);
  return {
    targets: settings.targets,
    render: (parameters) =>
      withTimeout({ signal: tabs.closing, durationMs: renderTimeoutMs, reason }, async (signal) => {
        let lost: TabLost | null = null;
        const tried = new Set<TabSource>();
        for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
          if (lost) settings.onEvent({ type: "render-retried", reason: lost.message });
          try {
            return await renderPage(tabs, parameters, {
              signal,
              tried,
              navigationTimeoutMs,
              maxRenderingBytes,
              tabKind: lost ? "new" : "ready",
            });
          } catch (error) {
            if (!(error instanceof TabLost)) throw error;
            lost = error;
          }
        }
        const details = lost ? { detail: lost.message, cause: lost } : {};
        throw new SnapError("upstream_error", "The browser failed while rendering the page.", details);
      }),
    health: () => tabs.health(),
    close: () => tabs.close(),
  };
}

/** Pages must not reach the DevTools port: it controls the browser. */
function devToolsSocket({ hostname, port, protocol }: URL): ClosedSocket {
  const isSecure = protocol === "wss:" || protocol === "https:";
  return { hostname, port: port === "" ? (isSecure ? 443 : 80) : Number(port) };
}

function openTabSource({
  resolver,
  targets,
  ...settings
}: Omit<RendererSettings, "renderTimeoutMs" | "navigationTimeoutMs" | "maxRenderingBytes">): TabSource {
  const devTools = settings.browserEndpoints.map(({ url }) => devToolsSocket(url));
  const closed = [...(targets.closed ?? []), ...devTools];
  const egress = { resolver, policy: { ...targets, closed } };
  const closeAddress = (hostname: string, { url }: BrowserEndpoint): void => {
    const { port } = devToolsSocket(url);
    const isClosed = closed.some((socket) => socket.hostname === hostname && socket.port === port);
    // a public address may be a provider's load balancer, which also serves other sites
    if (!isClosed && !isPublicAddress(hostname)) closed.push({ hostname, port });
  };
  const [first, ...others] = settings.browserEndpoints.map(
    (endpoint) =>
      new BrowserSupervisor(
        remoteBrowser(endpoint, {
          ...settings,
          egress,
          onConnected: (address) => closeAddress(address, endpoint),
        }),
      ),
  );
  return first
    ? new TabPool([first, ...others])
    : new BrowserSupervisor(localBrowser({ ...settings, egress }));
}
