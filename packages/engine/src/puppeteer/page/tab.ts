import type { CDPSession, Connection } from "puppeteer";
import { SnapError } from "../../errors.ts";
import { abortable, sleep, withTimeout } from "../../timeouts.ts";
import type { ConnectedBrowser } from "../browser/connected-browser.ts";
import { BlockedRequests } from "./block/blocked-requests.ts";
import {
  configureTargets,
  followFrame,
  followWorker,
  resumeTarget,
  type FollowedPage,
} from "./follow-targets.ts";
import { evaluate } from "./evaluate.ts";
import { explainIncompleteResponse } from "./explain-navigation.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import type { KilledProcesses } from "../browser/killed-processes.ts";
import type { ProcessGroup } from "../browser/process-group.ts";
import { RequestInterceptor, type RequestRule } from "./intercept-requests.ts";
import { TabLost } from "./page-end.ts";
import { PageProcesses } from "./page-processes.ts";
import { PageProgress } from "./page-progress.ts";
import type { PageUserAgent } from "../browser/user-agent.ts";
import { disableScripts } from "./configure/scripts.ts";
import { identityOf, overrideUserAgent } from "./configure/user-agent.ts";
import { applyViewport, READY_VIEWPORT } from "./configure/viewport.ts";

/** A page with its own browser context and egress, for one render. */
export interface Tab extends FollowedPage {
  readonly mainFrameId: string;
  readonly blocked: BlockedRequests;
  /** The pending start of a paused page that was opened at its URL; `null` for a page that was opened blank. */
  readonly start: PausedStart | null;
  /**
   * Aborts when the page can no longer be rendered: with a `TabLost` if the render can be retried, with a `SnapError`
   * if the page closed itself, was ended or has an incomplete document, and with any error passed to `end`.
   */
  readonly ended: AbortSignal;
  /**
   * Aborts `ended` with `reason`, and kills the page's known processes if the browser is local. The render then fails,
   * or is retried if `reason` is a `TabLost`.
   */
  end(reason: Error): void;
  close(): Promise<void>;
}

/**
 * The pending start of a page that was opened at its URL. The page does not respond to commands until it is resumed.
 */
export interface PausedStart {
  /** Resolves once the page is set up, which happens only after it is resumed. */
  readonly prepared: Promise<void>;
}

const BLANK = "about:blank";
/**
 * Another page that is flooding the browser can delay this. The render is then retried before its caller has waited too
 * long.
 */
const OPEN_TIMEOUT_MS = 8_000;

/** How long the last document may take to load once the page's navigations are stopped. */
export const STOPPED_LOADING_MAX_MS = 2_000;

type Closer = () => unknown;

/** The browser to open tabs in. */
export interface TabHost {
  readonly browser: ConnectedBrowser;
  /** The processes of a local browser; `null` for a remote one. */
  readonly processGroup: ProcessGroup | null;
  readonly killedProcesses: KilledProcesses;
  /** Opens the egress of one tab. */
  readonly openEgress: () => Promise<PageEgress>;
}

/** The main frame has the same id as the page, across navigations. */
interface Page extends FollowedPage {
  readonly mainFrameId: string;
  readonly blocked: BlockedRequests;
  readonly ended: AbortController;
  readonly closed: Promise<void>;
}

/** Opens a blank page that is ready to navigate, or a paused page at `url`. */
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
    return await withTimeout(limit, async (signal) => {
      const { connection } = browser;
      const creating = createContext(connection, egress);
      // registered before the wait, because the context may be created after the time limit
      closers.push(async () => connection.send("Target.disposeBrowserContext", await creating));
      const context = await abortable(signal, creating);
      await abortable(signal, restrictContext(connection, context));
      const page = await openPage(host, egress, { ...context, url: url ?? BLANK, signal });
      closers.push(watchPage(page, host));
      closers.push(
        // the browser's session reports these events, so they do not reach the page's channel
        browser.onSharedWorker(context.browserContextId, (session, eventBytes) => {
          page.channel.countOther(eventBytes);
          followWorker(session, page);
          return () => {
            page.channel.countOther(0);
            page.progress.dropWorker(session.id());
          };
        }),
      );
      stopEndlessNavigation(page);
      watchEarlyStops(page).catch(() => {}); // the page has closed
      const prepared = preparePage(page);
      prepared.catch(() => {}); // handled where it is awaited
      const end = (cause: Error): void => page.ended.abort(cause);
      const tab = { ...page, ended: page.ended.signal, end, close };
      if (url !== null) return { ...tab, start: { prepared } };
      await abortable(
        AbortSignal.any([signal, page.ended.signal]),
        Promise.all([prepared, resumeTarget(page.session)]),
      );
      return { ...tab, start: null };
    });
  } catch (error) {
    void close(); // not awaited: the browser may hang
    throw error;
  }
}

interface Context {
  readonly browserContextId: string;
}

function createContext(connection: Connection, { proxyServer }: PageEgress): Promise<Context> {
  return connection.send("Target.createBrowserContext", {
    // otherwise a remote browser would keep the context after a disconnect
    disposeOnDetach: true,
    // contexts do not inherit the browser's bypass list, and without one, pages would bypass the proxy for loopback
    // addresses
    ...(proxyServer === null ? {} : { proxyServer, proxyBypassList: "<-loopback>" }),
  });
}

async function restrictContext(connection: Connection, { browserContextId }: Context): Promise<void> {
  await Promise.all([
    connection.send("Browser.setDownloadBehavior", { behavior: "deny", browserContextId }),
    // an empty grant denies all permissions without a prompt
    connection.send("Browser.grantPermissions", { permissions: [], browserContextId }),
  ]);
}

async function openPage(
  { browser, killedProcesses }: TabHost,
  egress: PageEgress,
  request: Parameters<ConnectedBrowser["createPage"]>[0],
): Promise<Page> {
  const { targetId: mainFrameId, ...attached } = await browser.createPage(request);
  const ended = new AbortController();
  const interceptor = new RequestInterceptor(egress.guard?.rule ?? null);
  /** The crash of an out-of-process frame ends the page only if the frame's process was, or may have been, killed. */
  const onCrashed = (session: CDPSession, pid: number | null): void => {
    // an ended page's frames crash with it, and must not use up the reasons of other pages
    if (ended.signal.aborted) return;
    const reason = killedProcesses.explainCrash(pid);
    if (reason !== null) ended.abort(reason);
    else if (session === attached.session) ended.abort(new TabLost("the page's process exited"));
  };
  return {
    ...attached,
    mainFrameId,
    egress,
    progress: new PageProgress(mainFrameId),
    processes: new PageProcesses(onCrashed),
    followsWorkers: browser.pausesNewPages,
    browserContextId: request.browserContextId,
    ...defaultUserAgent(browser.userAgent),
    interceptor,
    blocked: new BlockedRequests(),
    frameSessions: new Set(),
    ended,
  };
}

/** A command is needed only if the browser would send a different user agent. */
function defaultUserAgent({ text, isOverride }: PageUserAgent): Pick<FollowedPage, "userAgent" | "settings"> {
  return isOverride
    ? { userAgent: text, settings: [overrideUserAgent(identityOf(text))] }
    : { userAgent: null, settings: [] };
}

async function preparePage(page: Page): Promise<void> {
  dismissDialogs(page.session);
  await Promise.all([
    followFrame(page.session, page.mainFrameId, page),
    applyViewport(page.session, READY_VIEWPORT),
  ]);
}

/**
 * A page that keeps navigating never has a stable document. After the last followed navigation, its scripts are
 * disabled and later document requests are aborted, because `<meta http-equiv="refresh">` needs no script.
 */
function stopEndlessNavigation(page: Page): void {
  const { session, progress, mainFrameId, ended } = page;
  const abortDocuments: RequestRule = {
    patterns: [{ resourceType: "Document" }],
    judge: ({ resourceType, frameId }) =>
      resourceType === "Document" && frameId === mainFrameId ? { fail: "Aborted" } : null,
  };
  progress
    .waitUntil(ended.signal, () => !progress.followsNavigations)
    .then(() =>
      Promise.all([
        disableScripts(session),
        configureTargets(page, { settings: [], rules: [abortDocuments] }),
      ]),
    )
    // a document whose navigation was aborted while it was being parsed may never report that it has loaded
    .then(() => sleep(ended.signal, STOPPED_LOADING_MAX_MS))
    .then(() => progress.abandonLoading())
    .catch(() => {}); // the page has closed
}

/**
 * Chromium may report neither `DOMContentLoaded` nor `load` for a document that stops loading early. The document is
 * complete if the page stopped it, and still loading if its response ended early. A media document stops before `load`
 * and is neither.
 */
async function watchEarlyStops(page: Page): Promise<void> {
  const { progress, ended } = page;
  for (;;) {
    await progress.waitUntil(ended.signal, () => progress.hasStoppedEarly);
    const { documentId, documentUrl } = progress;
    const state = await evaluate<string>(page, "document.readyState", ended.signal);
    if (!progress.hasStoppedEarly || progress.documentId !== documentId) continue;
    if (state === "loading") return ended.abort(explainIncompleteResponse(documentUrl));
    progress.handleEarlyStop({ isComplete: state === "complete" });
  }
}

/** An open dialog would block `load` forever. Accepts `beforeunload`, so a page can navigate. */
function dismissDialogs(session: CDPSession): void {
  session.on("Page.javascriptDialogOpening", ({ type }) => {
    const accept = type === "beforeunload";
    session.send("Page.handleJavaScriptDialog", { accept }).catch(() => {});
  });
}

/**
 * Closes pop-ups when they open. Aborts `ended` when the page closes or floods the connection, or the browser
 * disconnects. Returns a function that stops watching.
 */
function watchPage(page: Page, host: TabHost): Closer {
  const { mainFrameId, channel, closed, ended, processes, browserContextId } = page;
  const { processGroup } = host;
  const { connection, disconnected } = host.browser;
  const stopWatching = host.browser.onPageOpened(browserContextId, (targetId) => {
    if (targetId !== mainFrameId) connection.send("Target.closeTarget", { targetId }).catch(() => {});
  });
  void closed.then(() => ended.abort(new SnapError("render_failed", "The page closed itself.")));
  channel.flooded.addEventListener("abort", () => ended.abort(channel.flooded.reason));
  const onDisconnected = (): void =>
    ended.abort(new TabLost("the browser disconnected", { cause: disconnected.reason }));
  // kills the processes, because a browser that a page keeps busy is slow to close pages
  if (processGroup !== null) ended.signal.addEventListener("abort", () => processes.kill(processGroup));
  disconnected.addEventListener("abort", onDisconnected);
  return () => {
    stopWatching();
    disconnected.removeEventListener("abort", onDisconnected);
  };
}
