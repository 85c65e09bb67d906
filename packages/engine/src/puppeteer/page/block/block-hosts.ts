import { targetKey } from "../../proxy/egress-session.ts";
import type { HostBlocks } from "../../proxy/page-egress.ts";
import { configureTargets } from "../follow-targets.ts";
import type { Tab } from "../tab.ts";
import { patternRule } from "./block-requests.ts";
import { WEBSOCKET_SINK } from "./block-websockets.ts";
import type { UrlPattern } from "./url-pattern.ts";

/**
 * Decides which connections the egress blocks. Redirects may lead the document to a blocked host: its connections are then
 * allowed, and the other requests to it intercepted.
 */
export function blockedHosts(tab: Tab, patterns: readonly UrlPattern[]): HostBlocks {
  const allowed = new Set<string>();
  const blocks = async (pattern: UrlPattern, key: string): Promise<boolean> => {
    // the browser reports that a navigation starts before it connects, and responds in order
    await tab.session.send("Target.getTargetInfo").catch(() => {}); // the page has closed
    if (!tab.progress.isNavigating) return true;
    allowed.add(key);
    await configureTargets(tab, { settings: [], rules: [patternRule(tab, [pattern])] });
    return false;
  };
  return {
    async blocks(target) {
      if (target.hostname === WEBSOCKET_SINK) return true;
      const pattern = patterns.find((candidate) => candidate.matchesHost(target));
      const key = targetKey(target);
      return pattern !== undefined && !allowed.has(key) && (await blocks(pattern, key));
    },
    onBlocked: () => tab.blocked.add(),
  };
}
