import type { CDPSession, Protocol } from "puppeteer";
import { abortable } from "../../timeouts.ts";
import type { ConnectedBrowser, AttachedPage, CreatePageRequest } from "../browser/connected-browser.ts";

/**
 * Creates a page in a browser whose `browserSession` auto-attaches to new pages. The first page reported for the
 * context is this one: no other can open before it runs.
 */
export async function createAutoAttachedPage(
  browserSession: CDPSession,
  { url, browserContextId, signal }: CreatePageRequest,
): Promise<AttachedPage> {
  const attached = Promise.withResolvers<string>();
  const onAttached = ({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void => {
    if (targetInfo.type === "page" && targetInfo.browserContextId === browserContextId)
      attached.resolve(sessionId);
  };
  browserSession.on("Target.attachedToTarget", onAttached);
  try {
    const creating = connectionOf(browserSession).send("Target.createTarget", { url, browserContextId });
    const [{ targetId }, sessionId] = await abortable(signal, Promise.all([creating, attached.promise]));
    return { session: sessionOf(browserSession, sessionId), targetId };
  } finally {
    browserSession.off("Target.attachedToTarget", onAttached);
  }
}

/**
 * Creates a page and attaches only to it. In a browser with other clients, auto-attach would also attach to their pages
 * and pause them.
 */
export async function createAndAttachPage(
  browserSession: CDPSession,
  { url, browserContextId, signal }: CreatePageRequest,
): Promise<AttachedPage> {
  const { targetId } = await abortable(
    signal,
    browserSession.send("Target.createTarget", { url, browserContextId }),
  );
  const attaching = browserSession.send("Target.attachToTarget", { targetId, flatten: true });
  const { sessionId } = await abortable(signal, attaching);
  return { session: sessionOf(browserSession, sessionId), targetId };
}

/** Reports the shared workers of one context. `browserSession` must auto-attach to them. */
export function watchSharedWorkers(browserSession: CDPSession): ConnectedBrowser["onSharedWorker"] {
  return (browserContextId, follow) => {
    const endCallbacks = new Map<string, () => void>();
    const onAttached = ({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void => {
      if (targetInfo.type !== "shared_worker" || targetInfo.browserContextId !== browserContextId) return;
      const session = connectionOf(browserSession).session(sessionId);
      if (session) endCallbacks.set(sessionId, follow(session));
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

function sessionOf(browserSession: CDPSession, sessionId: string): CDPSession {
  const session = connectionOf(browserSession).session(sessionId);
  if (!session) throw new Error("the page closed immediately");
  return session;
}

function connectionOf(session: CDPSession): NonNullable<ReturnType<CDPSession["connection"]>> {
  const connection = session.connection();
  if (!connection) throw new Error("the connection to the browser closed");
  return connection;
}
