import { LRUCache } from "lru-cache";
import type { CDPSession, Protocol } from "puppeteer";
import { resolveHost } from "../../egress/resolve.ts";
import { parseTarget } from "../../targets/target.ts";
import { targetKey, type EgressProxyOptions, type EgressRefusal } from "./egress-session.ts";
import type { PageEgress } from "./page-egress.ts";

/** As many hosts as a page may have refused before the first are forgotten. */
const REFUSALS_MAX = 1_000;
/** Needs no connection. */
const INLINE = /^(data|blob|about):/i;

const ERROR_REASONS = {
  blocked: "BlockedByClient",
  unresolved: "NameNotResolved",
} as const satisfies Record<string, Protocol.Network.ErrorReason>;

/**
 * A way out from where the browser is. Each request that the protocol shows is judged before it is sent,
 * redirects included; WebSockets, workers, prefetches, prerendered pages and WebRTC it does not show, and the browser resolves the name
 * once more. So it is no boundary (egress.md): the network that the browser is in has to be one.
 */
export function openCheckedEgress({ resolver, policy }: EgressProxyOptions): PageEgress {
  const refusals = new LRUCache<string, EgressRefusal>({ max: REFUSALS_MAX });

  const checkUrl = async (url: string): Promise<keyof typeof ERROR_REASONS | null> => {
    if (INLINE.test(url)) return null;
    const target = parseTarget(url);
    if (target === null) return "blocked";
    const outcome = await resolveHost({ ...target, policy, resolver });
    if (typeof outcome !== "string") return null;
    refusals.set(targetKey(target), outcome);
    return outcome;
  };

  const decide = async (session: CDPSession, paused: Protocol.Fetch.RequestPausedEvent): Promise<void> => {
    const { requestId } = paused;
    const refusal = await checkUrl(paused.request.url);
    await (refusal === null
      ? session.send("Fetch.continueRequest", { requestId })
      : session.send("Fetch.failRequest", { requestId, errorReason: ERROR_REASONS[refusal] }));
  };

  let checks: Promise<unknown> = Promise.resolve();
  let refusedDocument: string | null = null;
  /** A document may have come without a request that was shown: prefetched or prerendered. */
  const checkDocument = async (url: string): Promise<void> => {
    if ((await checkUrl(url)) === "blocked") refusedDocument ??= url;
  };

  return {
    proxyServer: null,
    async guard(session) {
      session.on("Page.frameNavigated", ({ frame: { parentId, url, unreachableUrl } }) => {
        if (parentId !== undefined || unreachableUrl !== undefined) return;
        checks = Promise.all([checks, checkDocument(url)]);
      });
      session.on("Fetch.requestPaused", (paused) => {
        decide(session, paused).catch(() => {}); // the page is disconnected, and so is its request
      });
      await session.send("Fetch.enable", { patterns: [{ urlPattern: "*" }] });
    },
    refusal(url) {
      const target = parseTarget(url);
      return (target && refusals.get(targetKey(target))) ?? null;
    },
    async refusedDocument() {
      await checks;
      return refusedDocument;
    },
    overflow: new AbortController().signal,
    close: () => Promise.resolve(),
  };
}
