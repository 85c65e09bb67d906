import type { CDPSession, Connection, Protocol } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { unless, within } from "../../timeouts.ts";
import type { ConnectedBrowser } from "../browser/connected-browser.ts";
import { followFrame, followWorker, resumeTarget, type FollowedPage } from "./follow-targets.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import type { KilledPages } from "../browser/killed-pages.ts";
import { PageProgress } from "./page-progress.ts";
import { applyViewport, READY_VIEWPORT } from "./viewport.ts";

/** The page's process or its browser ended under a render; the render can be tried again. */
export class TabLost extends Error {
  override readonly name = "TabLost";
}

/** One page in a browser context of its own, behind an egress egress of its own, for one render. */
export interface Tab extends FollowedPage {
  readonly mainFrameId: string;
  /** For a page that is held on its way to its address; `null` for a blank one. */
  readonly start: PausedStart | null;
  /**
   * Aborts when the page is no more: with a `TabLost` when its process or the browser ended, with a
   * `SnapError` when the page closed itself.
   */
  readonly ended: AbortSignal;
  close(): Promise<void>;
}

/** A page that was made for its address, without a blank one before: it answers nothing until it is let go. */
export interface PausedStart {
  /** Resolves once the page is set up, which is after it was let go. */
  readonly prepared: Promise<void>;
}

const BLANK = "about:blank";
const OPEN_TIMEOUT_MS = 10_000;

type Closer = () => unknown;

/** Where tabs are opened, and what is known of the pages of it that had to be ended. */
export interface TabHost {
  readonly browser: ConnectedBrowser;
  readonly killedPages: KilledPages;
  /** A way out for each tab, of its own. */
  readonly openEgress: () => Promise<PageEgress>;
}

/** The main frame's id is the page's, and stays the same through navigations. */
interface Page extends FollowedPage {
  readonly mainFrameId: string;
  readonly ended: AbortController;
}

/** Opens a page: a blank one, all set up to be navigated, or one that is held on its way to `url`. */
export async function openTab(host: TabHost, url: string | null): Promise<Tab> {
  const { browser } = host;
  const egress = await host.openEgress();
  const closers: Closer[] = [() => egress.close()];
  const close = async (): Promise<void> => {
    await Promise.allSettled(closers.map((closer) => closer()));
  };
  const reason = (): Error => new Error(`the page was not ready within ${OPEN_TIMEOUT_MS} ms`);
  const limit = { signal: browser.disconnected, durationMs: OPEN_TIMEOUT_MS, reason };
  try {
    return await within(limit, async (signal) => {
      const context = await unless(signal, openContext(browser.connection, egress));
      closers.push(() => browser.connection.send("Target.disposeBrowserContext", context));
      const page = await openPage(browser, egress, { ...context, url: url ?? BLANK, signal });
      closers.push(watchPage(page, { ...host, ...context }));
      closers.push(
        browser.onSharedWorker(context.browserContextId, (session) => {
          followWorker(session, page);
          return () => page.progress.leave(session.id());
        }),
      );
      const prepared = preparePage(page);
      prepared.catch(() => {}); // found out when it is awaited
      const tab = { ...page, ended: page.ended.signal, close };
      if (url !== null) return { ...tab, start: { prepared } };
      await unless(
        AbortSignal.any([signal, page.ended.signal]),
        Promise.all([prepared, resumeTarget(page.session)]),
      );
      return { ...tab, start: null };
    });
  } catch (error) {
    void close(); // a browser that hangs would keep us waiting
    throw error;
  }
}

interface Context {
  readonly browserContextId: string;
}

async function openContext(connection: Connection, { proxyServer }: PageEgress): Promise<Context> {
  const { browserContextId } = await connection.send("Target.createBrowserContext", {
    // ends with our connection: a browser that others use as well would keep it
    disposeOnDetach: true,
    // a context does not inherit the list, and loopback would be reached directly (egress.md)
    ...(proxyServer === null ? {} : { proxyServer, proxyBypassList: "<-loopback>" }),
  });
  await Promise.all([
    connection.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
    // grants nothing, which denies all the others without a prompt
    connection.send("Browser.grantPermissions", { permissions: [], browserContextId }),
  ]);
  return { browserContextId };
}

async function openPage(
  browser: ConnectedBrowser,
  egress: PageEgress,
  request: Parameters<ConnectedBrowser["createPage"]>[0],
): Promise<Page> {
  const { session, targetId: mainFrameId } = await browser.createPage(request);
  return {
    session,
    mainFrameId,
    egress,
    progress: new PageProgress(mainFrameId),
    followsWorkers: browser.pausesNewPages,
    ended: new AbortController(),
  };
}

async function preparePage(page: Page): Promise<void> {
  dismissDialogs(page.session);
  await Promise.all([
    followFrame(page.session, page.mainFrameId, page),
    applyViewport(page.session, READY_VIEWPORT),
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
function watchPage({ mainFrameId, ended }: Page, host: TabHost & Context): Closer {
  const { killedPages, browserContextId } = host;
  const { connection, disconnected } = host.browser;
  const closePopup = ({ targetInfo }: Protocol.Target.TargetCreatedEvent): void => {
    if (targetInfo.browserContextId !== browserContextId || targetInfo.targetId === mainFrameId) return;
    connection.send("Target.closeTarget", { targetId: targetInfo.targetId }).catch(() => {});
  };
  const tellCrash = ({ targetId }: Protocol.Target.TargetCrashedEvent): void => {
    if (targetId !== mainFrameId) return;
    const reason = killedPages.recentReason();
    ended.abort(
      reason === null ? new TabLost("the page's process exited") : new SnapError("upstream_error", reason),
    );
  };
  const tellClosed = ({ targetId }: Protocol.Target.TargetDestroyedEvent): void => {
    if (targetId === mainFrameId) ended.abort(new SnapError("render_failed", "The page closed itself."));
  };
  const tellGone = (): void =>
    ended.abort(new TabLost("the browser disconnected", { cause: disconnected.reason }));
  connection.on("Target.targetCreated", closePopup);
  connection.on("Target.targetCrashed", tellCrash);
  connection.on("Target.targetDestroyed", tellClosed);
  disconnected.addEventListener("abort", tellGone);
  return () => {
    connection.off("Target.targetCreated", closePopup);
    connection.off("Target.targetCrashed", tellCrash);
    connection.off("Target.targetDestroyed", tellClosed);
    disconnected.removeEventListener("abort", tellGone);
  };
}
