import { CDPSessionEvent, type BrowserContext, type CDPSession, type Protocol } from "puppeteer";
import { SnapError } from "../errors.ts";
import { unless, within } from "./abort.ts";
import type { EgressLane, EgressProxyOptions } from "./egress-proxy.ts";
import { openEgressLane } from "./egress-proxy.ts";
import type { LaunchedBrowser } from "./launch-browser.ts";
import { PageProgress } from "./page-progress.ts";
import { TabLost } from "./tab-lost.ts";
import type { Watched } from "./watch-browser.ts";
import { applyViewport, DEFAULT_VIEWPORT } from "./viewport.ts";

/** One page in a browser context of its own, behind an egress lane of its own, for one render. */
export interface Tab {
  readonly session: CDPSession;
  readonly mainFrameId: string;
  readonly lane: EgressLane;
  readonly progress: PageProgress;
  /** For a page that is held on its way to its address; `null` for a blank one. */
  readonly start: HeldStart | null;
  /**
   * Aborts when the page is no more: with a `TabLost` when its process or the browser ended, with a
   * `SnapError` when the page closed itself.
   */
  readonly ended: AbortSignal;
  close(): Promise<void>;
}

/** A page that was made for its address, without a blank one before: it answers nothing until it is let go. */
export interface HeldStart {
  /** Resolves once the page is set up, which is after it was let go. */
  readonly prepared: Promise<void>;
}

const BLANK = "about:blank";
const OPEN_TIMEOUT_MS = 10_000;

type Closer = () => unknown;

/** The main frame's id is the page's, and stays the same through navigations. */
interface Page {
  readonly session: CDPSession;
  readonly mainFrameId: string;
  readonly progress: PageProgress;
  readonly ended: AbortController;
}

/** Opens a page: a blank one, all set up to be navigated, or one that is held on its way to `url`. */
export async function openTab(
  watched: Watched,
  egress: EgressProxyOptions,
  url: string | null,
): Promise<Tab> {
  const { launched } = watched;
  const lane = await openEgressLane(egress);
  const closers: Closer[] = [() => lane.close()];
  const close = async (): Promise<void> => {
    await Promise.allSettled(closers.map((closer) => closer()));
  };
  const reason = (): Error => new Error("the page was not ready in time");
  const limit = { signal: launched.gone, durationMs: OPEN_TIMEOUT_MS, reason };
  try {
    return await within(limit, async (signal) => {
      const context = await unless(signal, openContext(launched, lane));
      closers.push(() => context.close());
      const page = await openPage(launched, { context, url: url ?? BLANK, signal });
      closers.push(watchPage({ ...page, ...watched, context }));
      const prepared = preparePage(page);
      prepared.catch(() => {}); // found out when it is awaited
      const tab = { ...page, ended: page.ended.signal, lane, close };
      if (url !== null) return { ...tab, start: { prepared } };
      await unless(AbortSignal.any([signal, page.ended.signal]), Promise.all([prepared, letGo(page)]));
      return { ...tab, start: null };
    });
  } catch (error) {
    void close(); // a browser that hangs would keep us waiting
    throw error;
  }
}

async function openContext(
  { browser, connection }: LaunchedBrowser,
  lane: EgressLane,
): Promise<BrowserContext> {
  const context = await browser.createBrowserContext({
    proxyServer: `http://127.0.0.1:${lane.port}`,
    // a context does not inherit the list, and loopback would be reached directly (egress.md)
    proxyBypassList: ["<-loopback>"],
    downloadBehavior: { policy: "deny" },
  });
  // grants nothing, which denies all the others without a prompt
  await connection.send("Browser.grantPermissions", { permissions: [], ...contextOf(context) });
  return context;
}

/** It is the first of its context to be told of: before it runs, nothing else can open one. */
async function openPage(
  { connection, pages }: LaunchedBrowser,
  { context, url, signal }: { context: BrowserContext; url: string; signal: AbortSignal },
): Promise<Page> {
  const attached = Promise.withResolvers<string>();
  const note = ({ sessionId, targetInfo }: Protocol.Target.AttachedToTargetEvent): void => {
    if (targetInfo.browserContextId === context.id) attached.resolve(sessionId);
  };
  pages.on("Target.attachedToTarget", note);
  try {
    const creating = connection.send("Target.createTarget", { url, ...contextOf(context) });
    const [{ targetId: mainFrameId }, sessionId] = await unless(
      signal,
      Promise.all([creating, attached.promise]),
    );
    const session = connection.session(sessionId);
    if (!session) throw new Error("the page was gone at once");
    return { session, mainFrameId, progress: new PageProgress(mainFrameId), ended: new AbortController() };
  } finally {
    pages.off("Target.attachedToTarget", note);
  }
}

/** Lets a page begin. */
export async function letGo({ session }: Pick<Page, "session">): Promise<void> {
  await session.send("Runtime.runIfWaitingForDebugger");
}

async function preparePage({ session, progress }: Page): Promise<void> {
  dismissDialogs(session);
  await Promise.all([followFrames(session, progress), applyViewport(session, DEFAULT_VIEWPORT)]);
}

/**
 * Nobody reads the console, but each line of it goes through the browser's own process: a flood stops all
 * pages. And a page that was made for its address could close itself, as one with no page before it.
 */
const BEFORE_SCRIPTS = `for (const name of Object.keys(console)) {
  // createTask writes nothing, and pages use what it answers; context would answer a console that writes
  if (name !== "createTask" && typeof console[name] === "function") console[name] = () => {};
}
console.context = () => console;
window.close = () => {};`;

function contextOf(context: BrowserContext): { browserContextId?: string } {
  return context.id === undefined ? {} : { browserContextId: context.id };
}

/** Follows the frames in the page's own process, and those that Chromium puts in another one. */
async function followFrames(session: CDPSession, progress: PageProgress): Promise<void> {
  progress.follow(session);
  session.on(CDPSessionEvent.SessionAttached, (frame) => {
    // a frame that is gone again has nothing to tell
    followFrames(frame, progress).catch(() => {});
  });
  await Promise.all([
    session.send("Page.enable"),
    session.send("Page.setLifecycleEventsEnabled", { enabled: true }),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: BEFORE_SCRIPTS, runImmediately: true }),
    session.send("Target.setAutoAttach", {
      autoAttach: true,
      waitForDebuggerOnStart: false,
      flatten: true,
      filter: [{ type: "iframe" }],
    }),
  ]);
}

/** An open dialog would hold `load` for ever. To leave a page (beforeunload) is allowed. */
function dismissDialogs(session: CDPSession): void {
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    const accept = type === "beforeunload";
    session.send("Page.handleJavaScriptDialog", { accept }).catch(() => {});
  });
}

/** Closes pop-ups, and tells when our page is no more. The function returned ends it. */
function watchPage(watched: Page & Watched & { context: BrowserContext }): Closer {
  const { launched, pageEnds, context, mainFrameId, ended } = watched;
  const { connection, gone } = launched;
  const closePopup = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
    if (targetInfo.browserContextId !== context.id || targetInfo.targetId === mainFrameId) return;
    connection.send("Target.closeTarget", { targetId: targetInfo.targetId }).catch(() => {});
  };
  const tellCrash = ({ targetId }: Protocol.Target.TargetCrashedEvent): void => {
    if (targetId !== mainFrameId) return;
    const reason = pageEnds.recentReason();
    ended.abort(
      reason === null ? new TabLost("the page's process ended") : new SnapError("upstream_error", reason),
    );
  };
  const tellClosed = ({ targetId }: Protocol.Target.TargetDestroyedEvent): void => {
    if (targetId === mainFrameId) ended.abort(new SnapError("render_failed", "The page closed itself."));
  };
  const tellGone = (): void => ended.abort(new TabLost("the browser ended", { cause: gone.reason }));
  connection.on("Target.targetCreated", closePopup);
  connection.on("Target.targetCrashed", tellCrash);
  connection.on("Target.targetDestroyed", tellClosed);
  gone.addEventListener("abort", tellGone);
  return () => {
    connection.off("Target.targetCreated", closePopup);
    connection.off("Target.targetCrashed", tellCrash);
    connection.off("Target.targetDestroyed", tellClosed);
    gone.removeEventListener("abort", tellGone);
  };
}
