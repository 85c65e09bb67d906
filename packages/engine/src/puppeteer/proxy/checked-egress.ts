import { LRUCache } from "lru-cache";
import type { Protocol } from "puppeteer";
import { resolveHost, type ResolveFailure } from "../../egress/resolve.ts";
import { parseTarget, type Target } from "../../targets/target.ts";
import { targetKey, type EgressProxyOptions, type EgressFailure } from "./egress-session.ts";
import type { PageEgress } from "./page-egress.ts";
import { PageLookups } from "./page-lookups.ts";

/** Number of failures to remember per page, by host and port. */
const FAILURES_MAX = 1_000;
/** Schemes that need no connection. */
const INLINE = /^(data|blob|about):/i;

const ERROR_REASONS = {
  blocked: "BlockedByClient",
  unresolved: "NameNotResolved",
  "resolver-failed": "NameNotResolved",
  "too-many-names": "NameNotResolved",
} as const satisfies Record<string, Protocol.Network.ErrorReason>;

/**
 * Opens the egress for a page that connects directly from the browser's network. Checks each request that the DevTools
 * protocol reports, including redirects. The protocol does not report WebSockets, some requests of workers, prefetches,
 * prerendered pages or WebRTC, and the browser resolves the host name again. So this is not a security boundary; the
 * browser's network must be one (docs/explanation/containment.md).
 */
export function openCheckedEgress({ resolver, policy }: EgressProxyOptions): PageEgress {
  const failures = new LRUCache<string, EgressFailure>({ max: FAILURES_MAX });
  const lookups = new PageLookups();
  const closed = new AbortController();

  const findFailure = async (target: Target): Promise<ResolveFailure | null> => {
    const outcome = await resolveHost({ ...target, policy, resolver, lookups, signal: closed.signal });
    return "failure" in outcome ? outcome.failure : null;
  };

  const checkUrl = async (url: string): Promise<keyof typeof ERROR_REASONS | null> => {
    if (INLINE.test(url)) return null;
    const target = parseTarget(url);
    if (target === null) return "blocked";
    const failure = lookups.admit(target.hostname) ? await findFailure(target) : "too-many-names";
    if (failure !== null) failures.set(targetKey(target), failure);
    return failure;
  };

  let checks: Promise<unknown> = Promise.resolve();
  let blockedDocument: string | null = null;
  /** The protocol reports no request when a prefetched or prerendered document loads. */
  const checkDocument = async (url: string): Promise<void> => {
    if ((await checkUrl(url)) === "blocked") blockedDocument ??= url;
  };

  return {
    proxyServer: null,
    guard: {
      rule: {
        patterns: [{ urlPattern: "*" }],
        async judge({ request }) {
          const failure = await checkUrl(request.url);
          return failure === null ? null : { fail: ERROR_REASONS[failure] };
        },
      },
      watch(session) {
        session.on("Page.frameNavigated", ({ frame: { parentId, url, unreachableUrl } }) => {
          if (parentId !== undefined || unreachableUrl !== undefined) return;
          checks = Promise.all([checks, checkDocument(url)]);
          checks.catch(() => {}); // blockedDocument reports it
        });
      },
    },
    blockHosts: null,
    failure(url) {
      const target = parseTarget(url);
      return (target && failures.get(targetKey(target))) ?? null;
    },
    // the browser opens its own connections, and reports why one failed
    failureDetail: () => null,
    async blockedDocument() {
      await checks;
      return blockedDocument;
    },
    overflow: new AbortController().signal,
    close() {
      closed.abort();
      return Promise.resolve();
    },
  };
}
