import type { CDPSession, Connection, Protocol } from "puppeteer";
import { abortable } from "../../timeouts.ts";
import type { ConnectedBrowser, AttachedPage, CreatePageRequest } from "../browser/connected-browser.ts";
import type { BrowserConnection } from "../browser/take-over-connection.ts";

/**
 * Creates a page in a browser whose `browserSession` auto-attaches to new pages. The first page reported for the
 * context is this one, because no other page can open before it runs.
 */
export async function createAutoAttachedPage(
  browser: BrowserConnection,
  { url, browserContextId, signal }: CreatePageRequest,
): Promise<AttachedPage> {
  const { connection, browserSession } = browser;
  const attached = Promise.withResolvers<string>();
  const onAttached = ({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void => {
    if (targetInfo.type === "page" && targetInfo.browserContextId === browserContextId)
      attached.resolve(sessionId);
  };
  browserSession.on("Target.attachedToTarget", onAttached);
  try {
    const creating = connection.send("Target.createTarget", { url, browserContextId });
    const [{ targetId }, sessionId] = await abortable(signal, Promise.all([creating, attached.promise]));
    return createAttachedPage(browser, { targetId, sessionId });
  } finally {
    browserSession.off("Target.attachedToTarget", onAttached);
  }
}

/**
 * Creates a page and attaches only to it. In a browser with other clients, auto-attach would also attach to their pages
 * and pause them.
 */
export async function createAndAttachPage(
  browser: BrowserConnection,
  { url, browserContextId, signal }: CreatePageRequest,
): Promise<AttachedPage> {
  const { browserSession } = browser;
  const { targetId } = await abortable(
    signal,
    browserSession.send("Target.createTarget", { url, browserContextId }),
  );
  const attaching = browserSession.send("Target.attachToTarget", { targetId, flatten: true });
  const { sessionId } = await abortable(signal, attaching);
  return createAttachedPage(browser, { targetId, sessionId });
}

function createAttachedPage(
  { connection, browserSession, transport }: BrowserConnection,
  { targetId, sessionId }: { readonly targetId: string; readonly sessionId: string },
): AttachedPage {
  const session = connection.session(sessionId);
  if (!session) throw new Error("the page closed immediately");
  const channel = transport.openChannel(sessionId);
  const closed = new Promise<void>((resolve) => {
    const onDetached = (detached: Protocol.Target.DetachedFromTargetEvent): void => {
      if (detached.sessionId !== sessionId) return;
      browserSession.off("Target.detachedFromTarget", onDetached);
      channel.close();
      resolve();
    };
    browserSession.on("Target.detachedFromTarget", onDetached);
  });
  return { session, targetId, channel, closed };
}

/** Reports the pages that a browser opens in one context, using an event that reports those of all contexts. */
export function watchPages(
  source: CDPSession | Connection,
  event: "Target.attachedToTarget" | "Target.targetCreated",
): ConnectedBrowser["onPageOpened"] {
  return (browserContextId, onOpened) => {
    const onTarget = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
      const { type, targetId } = targetInfo;
      if (type === "page" && targetInfo.browserContextId === browserContextId) onOpened(targetId);
    };
    source.on(event, onTarget);
    return () => void source.off(event, onTarget);
  };
}

/** Reports one context's shared workers. `browserSession` must auto-attach to them. */
export function watchSharedWorkers({
  connection,
  browserSession,
}: BrowserConnection): ConnectedBrowser["onSharedWorker"] {
  return (browserContextId, follow) => {
    const endCallbacks = new Map<string, () => void>();
    const onAttached = ({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void => {
      if (targetInfo.type !== "shared_worker" || targetInfo.browserContextId !== browserContextId) return;
      const session = connection.session(sessionId);
      if (session) endCallbacks.set(sessionId, follow(session, JSON.stringify(targetInfo).length));
    };
    const onDetached = ({ sessionId }: Protocol.Target.DetachedFromTargetEvent): void => {
      endCallbacks.get(sessionId)?.();
      endCallbacks.delete(sessionId);
    };
    browserSession.on("Target.attachedToTarget", onAttached);
    browserSession.on("Target.detachedFromTarget", onDetached);
    return () => {
      browserSession.off("Target.attachedToTarget", onAttached);
      browserSession.off("Target.detachedFromTarget", onDetached);
    };
  };
}
