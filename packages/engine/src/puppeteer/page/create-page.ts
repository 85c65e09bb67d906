import type { CDPSession, Protocol } from "puppeteer";
import { unless } from "../../timeouts.ts";
import type { ConnectedBrowser, AttachedPage, CreatePageRequest } from "../browser/connected-browser.ts";

/**
 * Makes a page in a browser that attaches `pages` to each new one. It is the first of its context to be
 * told of: before it runs, nothing else can open one.
 */
export async function createAutoAttachedPage(
  pages: CDPSession,
  { url, browserContextId, signal }: CreatePageRequest,
): Promise<AttachedPage> {
  const attached = Promise.withResolvers<string>();
  const note = ({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void => {
    if (targetInfo.type === "page" && targetInfo.browserContextId === browserContextId)
      attached.resolve(sessionId);
  };
  pages.on("Target.attachedToTarget", note);
  try {
    const creating = connectionOf(pages).send("Target.createTarget", { url, browserContextId });
    const [{ targetId }, sessionId] = await unless(signal, Promise.all([creating, attached.promise]));
    return { session: sessionOf(pages, sessionId), targetId };
  } finally {
    pages.off("Target.attachedToTarget", note);
  }
}

/**
 * Makes a page and attaches to it, and to no other: in a browser that others use as well, theirs are
 * none of our business, and holding them would hold up whoever they belong to.
 */
export async function createAndAttachPage(
  pages: CDPSession,
  { url, browserContextId, signal }: CreatePageRequest,
): Promise<AttachedPage> {
  const { targetId } = await unless(signal, pages.send("Target.createTarget", { url, browserContextId }));
  const attaching = pages.send("Target.attachToTarget", { targetId, flatten: true });
  const { sessionId } = await unless(signal, attaching);
  return { session: sessionOf(pages, sessionId), targetId };
}

/** Reports the shared workers of one context, of a browser that attaches `pages` to each new one. */
export function watchSharedWorkers(pages: CDPSession): ConnectedBrowser["onSharedWorker"] {
  return (browserContextId, follow) => {
    const leavers = new Map<string, () => void>();
    const note = ({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void => {
      if (targetInfo.type !== "shared_worker" || targetInfo.browserContextId !== browserContextId) return;
      const session = connectionOf(pages).session(sessionId);
      if (session) leavers.set(sessionId, follow(session));
    };
    const leave = ({ sessionId }: Protocol.Target.DetachedFromTargetEvent): void => {
      leavers.get(sessionId)?.();
      leavers.delete(sessionId);
    };
    pages.on("Target.attachedToTarget", note);
    pages.on("Target.detachedFromTarget", leave);
    return () => {
      pages.off("Target.attachedToTarget", note);
      pages.off("Target.detachedFromTarget", leave);
    };
  };
}

function sessionOf(pages: CDPSession, sessionId: string): CDPSession {
  const session = connectionOf(pages).session(sessionId);
  if (!session) throw new Error("the page closed immediately");
  return session;
}

function connectionOf(session: CDPSession): NonNullable<ReturnType<CDPSession["connection"]>> {
  const connection = session.connection();
  if (!connection) throw new Error("the connection to the browser closed");
  return connection;
}
