import { parseTarget } from "../../../targets/target.ts";
import type { Configuration } from "../follow-targets.ts";
import type { PageToRender } from "../page-to-render.ts";
import { blockHosts } from "./block-hosts.ts";
import { filterListRules, patternRule, resourceRules } from "./block-requests.ts";
import { webSocketSettings } from "./block-websockets.ts";
import { parseUrlPatterns, type UrlPattern } from "./url-pattern.ts";

const ANY = "";

/**
 * Applies the blocking parameters: to hosts at the egress proxy where possible, to other requests by interception, and
 * to other WebSockets by replacing their constructors.
 */
export function block({ tab, parameters, filterLists }: PageToRender): Configuration {
  const { url, blockUrls, blockResources } = parameters;
  const { egress } = tab;
  const patterns = parseUrlPatterns(blockUrls);
  const document = parseTarget(url);
  // the egress proxy cannot distinguish the document from other requests to its host
  const isForEgress = (pattern: UrlPattern): boolean =>
    pattern.isHost && egress.blockHosts !== null && !(document !== null && pattern.matchesHost(document));
  const { hosts = [], intercepted = [] } = Object.groupBy(patterns, (pattern) =>
    isForEgress(pattern) ? "hosts" : "intercepted",
  );
  const blocksAll = blockResources?.split(",").includes("websocket") === true;
  const webSocketSources = blocksAll ? [ANY] : intercepted.map((pattern) => pattern.webSocketSource);
  const hostBlocking = blockHosts(tab, hosts);
  if (hosts.length + webSocketSources.length > 0) egress.blockHosts?.(hostBlocking.blocker);
  return {
    settings: [...hostBlocking.settings, ...webSocketSettings(webSocketSources)],
    rules: [
      ...(intercepted.length === 0 ? [] : [patternRule(tab, intercepted)]),
      ...resourceRules(tab, blockResources),
      ...filterListRules(tab, url, filterLists),
    ],
  };
}
