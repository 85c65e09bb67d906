import type { Protocol } from "puppeteer";
import { parseTarget } from "../../../targets/target.ts";
import { targetKey } from "../../proxy/egress-session.ts";
import type { HostBlocker } from "../../proxy/page-egress.ts";
import type { Setting } from "../configure/setting.ts";
import { configureTargets, NO_BUFFERS } from "../follow-targets.ts";
import type { Tab } from "../tab.ts";
import { patternRule } from "./block-requests.ts";
import { WEBSOCKET_SINK, webSocketSettings } from "./block-websockets.ts";
import type { UrlPattern } from "./url-pattern.ts";

/** Blocks connections to hosts at the egress proxy. */
export interface HostBlocking {
  readonly blocker: HostBlocker;
  /** Make the page report its requests. */
  readonly settings: readonly Setting[];
}

/**
 * Blocks connections to the hosts that match these patterns. If a redirect or a script leads the page to such a host,
 * connections to it are allowed, and interception blocks all other requests to it. WebSockets to it are blocked except
 * those that the document's first script opens.
 */
export function blockHosts(tab: Tab, patterns: readonly UrlPattern[]): HostBlocking {
  /** By host and port; each resolves once the page's other requests to it are intercepted. */
  const allowed = new Map<string, Promise<void>>();
  const onRequest = ({ type, frameId, request }: Protocol.Network.RequestWillBeSentEvent): void => {
    if (type !== "Document" || frameId !== tab.mainFrameId) return;
    const target = parseTarget(request.url);
    const pattern = target && patterns.find((candidate) => candidate.matchesHost(target));
    if (!target || !pattern || allowed.has(targetKey(target))) return;
    const intercepted = configureTargets(tab, { settings: [], rules: [patternRule(tab, [pattern])] });
    const webSockets = { settings: webSocketSettings([pattern.webSocketSource]), rules: [] };
    // not awaited: the page is navigating, and responds only once it shows the document
    configureTargets(tab, webSockets).catch(() => {}); // the page has closed
    allowed.set(
      targetKey(target),
      intercepted.catch(() => {}), // the page has closed
    );
  };
  const blocker: HostBlocker = {
    async blocks(target) {
      if (target.hostname === WEBSOCKET_SINK) return true;
      if (!patterns.some((pattern) => pattern.matchesHost(target))) return false;
      // the browser reports the request for a document before it connects, and responds in order
      await tab.session.send("Target.getTargetInfo").catch(() => {}); // the page has closed
      const intercepted = allowed.get(targetKey(target));
      await intercepted;
      return intercepted === undefined;
    },
    onBlocked: () => tab.blocked.add(),
  };
  if (patterns.length === 0) return { blocker, settings: [] };
  tab.session.on("Network.requestWillBeSent", onRequest);
  const reportRequests: Setting = {
    targets: "page",
    async apply({ session }) {
      // not awaited: the browser handles commands in order, so this one precedes the navigation
      session.send("Network.enable", NO_BUFFERS).catch(() => {}); // the page has closed
    },
  };
  return { blocker, settings: [reportRequests] };
}
