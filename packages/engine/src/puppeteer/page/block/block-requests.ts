import type { Protocol } from "puppeteer";
import type { FilteredRequest, FilterList } from "../../../filter-lists/compile.ts";
import type { PausedRequest, RequestRule } from "../intercept-requests.ts";
import type { Tab } from "../tab.ts";
import type { UrlPattern } from "./url-pattern.ts";

type ResourceType = Protocol.Network.ResourceType;

/**
 * Request types for each item of `blockResources`. The browser does not report WebSockets as
 * requests.
 */
const RESOURCE_TYPES: Readonly<Record<string, readonly ResourceType[]>> = {
  image: ["Image"],
  media: ["Media"],
  font: ["Font"],
  stylesheet: ["Stylesheet"],
  script: ["Script"],
  xhr: ["XHR", "Fetch", "EventSource"],
  websocket: [],
};

/** `blockResources`: blocks by request type. */
export function resourceRules(tab: Tab, list: string | undefined): readonly RequestRule[] {
  const types = new Set(list?.split(",").flatMap((name) => RESOURCE_TYPES[name] ?? []));
  if (types.size === 0) return [];
  const patterns = [...types].map((resourceType) => ({ resourceType }));
  return [blockingRule(tab, { patterns, blocks: ({ resourceType }) => types.has(resourceType) })];
}

/** `blockAds` and `blockTrackers`: blocks by the operator's filter lists. */
export function filterListRules(tab: Tab, url: string, lists: readonly FilterList[]): readonly RequestRule[] {
  if (lists.length === 0) return [];
  let documentUrl = url;
  const blocks = ({ request, resourceType }: PausedRequest): boolean => {
    // all documents other than the page's own are frames'
    const type = resourceType === "Document" ? "sub_frame" : (FILTERED_TYPES[resourceType] ?? "other");
    const filtered = { url: request.url, documentUrl, type };
    return lists.some((list) => list.blocks(filtered));
  };
  const onDocument = (next: string): void => void (documentUrl = next);
  return [blockingRule(tab, { patterns: [{ urlPattern: "*" }], blocks, onDocument })];
}

/** Filter lists' names for request types. */
const FILTERED_TYPES: Readonly<Partial<Record<ResourceType, FilteredRequest["type"]>>> = {
  Stylesheet: "stylesheet",
  Image: "image",
  Media: "media",
  Font: "font",
  Script: "script",
  XHR: "xhr",
  Fetch: "fetch",
  EventSource: "eventsource",
  Ping: "ping",
  CSPViolationReport: "cspviolationreport",
};

interface Blocking {
  readonly patterns: RequestRule["patterns"];
  readonly blocks: (request: PausedRequest) => boolean;
  /** Called with the URLs of the page's document and of each of its redirects. */
  readonly onDocument?: (url: string) => void;
}

/** Blocks requests by URL pattern, and to hosts that the egress proxy does not block. */
export function patternRule(tab: Tab, patterns: readonly UrlPattern[]): RequestRule {
  return blockingRule(tab, {
    patterns: patterns.flatMap(({ requestPatterns }) => requestPatterns),
    blocks: ({ request }) => patterns.some((pattern) => pattern.matches(request.url)),
  });
}

/** The page itself is never blocked. */
function blockingRule(tab: Tab, { patterns, blocks, onDocument }: Blocking): RequestRule {
  return {
    patterns,
    judge(paused) {
      if (paused.resourceType === "Document" && paused.frameId === tab.mainFrameId) {
        onDocument?.(paused.request.url);
        return null;
      }
      if (!blocks(paused)) return null;
      tab.blocked.add();
      return { fail: "BlockedByClient" };
    },
  };
}
