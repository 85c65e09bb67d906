import { SnapError } from "../errors.ts";
import type { Renderer } from "../ports/renderer.ts";
import type { BrowserEndpoint } from "../browser-endpoints.ts";
import { isPublicAddress } from "../targets/target.ts";
import type { ClosedSocket } from "../targets/policy.ts";
import { within } from "../timeouts.ts";
import { readOptions, type PuppeteerRendererOptions, type RendererSettings } from "./options.ts";
import { ownBrowser } from "./browser/own-browser.ts";
import { remoteBrowser } from "./browser/remote-browser.ts";
import { renderPage } from "./page/render-page.ts";
import { TabLost } from "./page/tab.ts";
import { TabPool } from "./browser/tab-pool.ts";
import { TabSupply, type TabSource } from "./browser/tab-supply.ts";

/** faults.md, The browser: one silent retry when a browser or a page's process ends. */
const ATTEMPTS_MAX = 2;

/**
 * A renderer that drives Chromium. The browser starts at once, in the background; every render gets a
 * browser context of its own whose every connection goes through an egress proxy of its own. With
 * `browserUrls` no browser is started: those that run elsewhere are connected to, and share the work.
 *
 * `render` throws a `SnapError`: `blocked_host`, `target_unreachable`, `render_failed`,
 * `render_timeout`, or `upstream_error` when the browser failed twice or cannot be started. Of browsers
 * elsewhere also `upstream_rate_limited` and `upstream_quota_exceeded`, when all of them refuse us so.
 *
 * @throws RangeError when an option is out of its range
 *
 * @example
 * const renderer = createPuppeteerRenderer();
 * const parameters = screenshotParameters.parse({ url: "https://example.com/", fullPage: true });
 * const { bytes, contentType, targetStatus } = await renderer.render(parameters);
 * await renderer.close();
 */
export function createPuppeteerRenderer(options: PuppeteerRendererOptions = {}): Renderer {
  const { renderTimeoutMs, navigationTimeoutMs, ...settings } = readOptions(options);
  const supply = openSupply(settings);
  const reason = (): SnapError =>
    new SnapError("render_timeout", `The render did not finish within ${renderTimeoutMs} ms.`);
  return {
    targets: settings.targets,
    render: (parameters) =>
      within({ signal: supply.closing, durationMs: renderTimeoutMs, reason }, async (signal) => {
        let lost: TabLost | null = null;
        const tried = new Set<TabSource>();
        for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
          if (lost) settings.onEvent({ type: "render-retried", reason: lost.message });
          try {
            return await renderPage(supply, parameters, {
              signal,
              tried,
              navigationTimeoutMs,
              tabKind: lost ? "new" : "ready",
            });
          } catch (error) {
            if (!(error instanceof TabLost)) throw error;
            lost = error;
          }
        }
        const facts = lost ? { detail: lost.message, cause: lost } : {};
        throw new SnapError("upstream_error", "The browser failed while rendering the page.", facts);
      }),
    health: () => supply.health(),
    close: () => supply.close(),
  };
}

/** Whoever reaches it owns the browser, so no page may. */
function devToolsSocket({ hostname, port, protocol }: URL): ClosedSocket {
  const isSecure = protocol === "wss:" || protocol === "https:";
  return { hostname, port: port === "" ? (isSecure ? 443 : 80) : Number(port) };
}

function openSupply({
  resolver,
  targets,
  ...settings
}: Omit<RendererSettings, "renderTimeoutMs" | "navigationTimeoutMs">): TabSource {
  const devTools = settings.browserEndpoints.map(({ url }) => devToolsSocket(url));
  const closed = [...(targets.closed ?? []), ...devTools];
  const egress = { resolver, policy: { ...targets, closed } };
  const closeAddress = (hostname: string, { url }: BrowserEndpoint): void => {
    const { port } = devToolsSocket(url);
    const isKnown = closed.some((socket) => socket.hostname === hostname && socket.port === port);
    // a public one may be a provider's front, which others are behind as well
    if (!isKnown && !isPublicAddress(hostname)) closed.push({ hostname, port });
  };
  const [first, ...others] = settings.browserEndpoints.map(
    (endpoint) =>
      new TabSupply(
        remoteBrowser(endpoint, {
          ...settings,
          egress,
          onReached: (address) => closeAddress(address, endpoint),
        }),
      ),
  );
  return first ? new TabPool([first, ...others]) : new TabSupply(ownBrowser({ ...settings, egress }));
}
