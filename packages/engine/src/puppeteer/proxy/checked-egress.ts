import { LRUCache } from "lru-cache";
import type { Protocol } from "puppeteer";
import { resolveHost, type ResolveRefusal } from "../../egress/resolve.ts";
import { parseTarget, type Target } from "../../targets/target.ts";
import { targetKey, type EgressProxyOptions, type EgressRefusal } from "./egress-session.ts";
import type { PageEgress } from "./page-egress.ts";
import { PageLookUps } from "./page-look-ups.ts";

/** Number of rejected hosts to remember per page. */
const REFUSALS_MAX = 1_000;
/** Schemes that need no connection. */
const INLINE = /^(data|blob|about):/i;

const ERROR_REASONS = {
  blocked: "BlockedByClient",
  unresolved: "NameNotResolved",
  "resolver-failed": "NameNotResolved",
  "too-many-names": "NameNotResolved",
} as const satisfies Record<string, Protocol.Network.ErrorReason>;

/**
 * Opens the egress of a page that connects directly from the browser's network. Checks each request that the DevTools
 * protocol reports, including redirects. The protocol does not report WebSockets, workers, prefetches, prerendered pages
 * and WebRTC, and the browser resolves the host name again. So this is not a security boundary: the browser's network
 * must be one (docs/explanation/containment.md).
 */
export function openCheckedEgress({ resolver, policy }: EgressProxyOptions): PageEgress {
  const refusals = new LRUCache<string, EgressRefusal>({ max: REFUSALS_MAX });
  const lookUps = new PageLookUps();
  const closed = new AbortController();

  const findRefusal = async (target: Target): Promise<ResolveRefusal | null> => {
    const outcome = await resolveHost({ ...target, policy, resolver, lookUps, signal: closed.signal });
    return "refusal" in outcome ? outcome.refusal : null;
  };

  const checkUrl = async (url: string): Promise<keyof typeof ERROR_REASONS | null> => {
    if (INLINE.test(url)) return null;
    const target = parseTarget(url);
    if (target === null) return "blocked";
    const refusal = lookUps.admit(target.hostname) ? await findRefusal(target) : "too-many-names";
    if (refusal !== null) refusals.set(targetKey(target), refusal);
    return refusal;
  };

  let checks: Promise<unknown> = Promise.resolve();
  let refusedDocument: string | null = null;
  /** A prefetched or prerendered document loads without a reported request. */
  const checkDocument = async (url: string): Promise<void> => {
    if ((await checkUrl(url)) === "blocked") refusedDocument ??= url;
  };

  return {
    proxyServer: null,
    guard: {
      rule: {
        patterns: [{ urlPattern: "*" }],
        async judge({ request }) {
          const refusal = await checkUrl(request.url);
          return refusal === null ? null : { fail: ERROR_REASONS[refusal] };
        },
      },
      watch(session) {
        session.on("Page.frameNavigated", ({ frame: { parentId, url, unreachableUrl } }) => {
          if (parentId !== undefined || unreachableUrl !== undefined) return;
          checks = Promise.all([checks, checkDocument(url)]);
        });
      },
    },
    blockHosts: null,
    refusal(url) {
      const target = parseTarget(url);
      return (target && refusals.get(targetKey(target))) ?? null;
    },
    // the browser connects by itself, and reports why it could not
    refusalDetail: () => null,
    async refusedDocument() {
      await checks;
      return refusedDocument;
    },
    overflow: new AbortController().signal,
    close() {
      closed.abort();
      return Promise.resolve();
    },
  };
}
