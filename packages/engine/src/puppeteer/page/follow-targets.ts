import type { CDPSession, Protocol } from "puppeteer";
import type { PageChannel } from "../browser/page-channel.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import type { RequestInterceptor, RequestRule } from "./intercept-requests.ts";
import type { PageProcesses } from "./page-processes.ts";
import type { PageProgress } from "./page-progress.ts";
import type { Setting } from "./configure/setting.ts";

/** A page whose DevTools targets, its out-of-process frames and workers, are followed through auto-attach. */
export interface FollowedPage {
  readonly session: CDPSession;
  readonly channel: PageChannel;
  readonly progress: PageProgress;
  readonly processes: PageProcesses;
  readonly egress: PageEgress;
  /**
   * Whether to pause each new worker until its session can report requests, while connections are counted. If not, its
   * requests count only if settings or rules pause it anyway.
   */
  readonly followsWorkers: boolean;
  readonly browserContextId: string;
  /** The page's session and those of its out-of-process frames. */
  readonly frameSessions: Set<CDPSession>;
  /** The default user agent, to set in each DevTools target; `null` if it is the browser's own. */
  readonly userAgent: string | null;
  readonly interceptor: RequestInterceptor;
  /** Applied to the DevTools targets that the page opens, before their scripts run. */
  readonly settings: Setting[];
}

const FRAMES = [{ type: "iframe" }];
const FRAMES_AND_WORKERS = [...FRAMES, { type: "worker" }, { type: "service_worker" }];
/** For `Network.enable`. Bodies are not read through the protocol, so the browser need not buffer them. */
export const NO_BUFFERS = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 };

/**
 * Silences the console and error reports: each line passes through the browser process, so a flood would block all
 * pages. Disables `window.close`, which Chromium allows in a page without a previous document.
 */
const BEFORE_SCRIPTS = `for (const name of Object.keys(console)) {
  // createTask writes nothing and pages use its result; context would return a console that writes
  if (name !== "createTask" && typeof console[name] === "function") console[name] = () => {};
}
console.context = () => console;
for (const type of ["error", "unhandledrejection"]) addEventListener(type, (event) => event.preventDefault());
window.close = () => {};`;

/** Resumes a DevTools target that was paused when its session attached. */
export async function resumeTarget(session: CDPSession): Promise<void> {
  await session.send("Runtime.runIfWaitingForDebugger");
}

/** Configures and follows a page's main frame or an out-of-process frame. */
export async function followFrame(session: CDPSession, frameId: string, page: FollowedPage): Promise<void> {
  const { progress, processes, egress, channel, interceptor, browserContextId, userAgent } = page;
  page.frameSessions.add(session);
  channel.include(session.id());
  progress.follow(session, frameId);
  processes.add(session, frameId);
  session.on("Target.attachedToTarget", (attached) => followAttached(session, attached, page));
  egress.guard?.watch(session);
  await Promise.all([
    ...(interceptor.isNeeded ? [interceptor.intercept(session)] : []),
    session.send("Page.enable"),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: BEFORE_SCRIPTS, runImmediately: true }),
    attachToTargets(session, page),
    ...(progress.activity === null ? [] : [session.send("Network.enable", NO_BUFFERS)]),
    ...settingsFor("frames", page).map(({ apply }) =>
      apply({ session, isWorker: false, browserContextId, userAgent }),
    ),
  ]);
}

/** The settings and rules that a render requests for its page. */
export interface Configuration {
  readonly settings: readonly Setting[];
  readonly rules: readonly RequestRule[];
}

/**
 * Configures the page, and the out-of-process frames and workers that it opens from now on. Requests that it has
 * already sent are not affected.
 */
export async function configureTargets(
  page: FollowedPage,
  { settings, rules }: Configuration,
): Promise<void> {
  const { session, interceptor, browserContextId, userAgent } = page;
  page.settings.push(...settings);
  interceptor.add(...rules);
  const reachesFrames = rules.length > 0 || settings.some(({ targets }) => targets !== "page");
  await Promise.all([
    ...settings.map(({ apply }) => apply({ session, isWorker: false, browserContextId, userAgent })),
    ...(rules.length > 0 ? [interceptor.intercept(session)] : []),
    ...(reachesFrames ? [attachToTargets(session, page)] : []),
  ]);
}

/** Returns the settings that apply to a frame or a worker. */
function settingsFor(target: "frames" | "workers", { settings }: FollowedPage): readonly Setting[] {
  return settings.filter(({ targets }) => targets === "workers" || targets === target);
}

/** Counts the page's connections from now on. Must be called before the page sends a request. */
export async function countConnections(page: FollowedPage, connectionsMax: number): Promise<void> {
  const { session, progress, followsWorkers } = page;
  progress.countConnections({ connectionsMax, countsWorkers: followsWorkers });
  await Promise.all([attachToTargets(session, page), session.send("Network.enable", NO_BUFFERS)]);
}

/** Configures a worker and resumes it. If its requests count, also follows them. */
export function followWorker(session: CDPSession, page: FollowedPage): void {
  page.channel.include(session.id());
  const { progress, interceptor, browserContextId, userAgent } = page;
  const { activity } = progress;
  // fails for a dedicated worker, whose requests its page reports
  if (interceptor.isNeeded) interceptor.intercept(session).catch(ignore);
  const settings = settingsFor("workers", page);
  for (const { apply } of settings)
    apply({ session, isWorker: true, browserContextId, userAgent }).catch(ignore);
  const isCounted = activity !== null && !activity.hasOverflowed;
  activity?.beginWorker();
  if (isCounted) {
    progress.follow(session, null);
    session.send("Network.enable", NO_BUFFERS).catch(ignore);
  }
  if (isCounted || settings.length > 0) {
    session.on("Target.attachedToTarget", (attached) => followAttached(session, attached, page));
    attachToTargets(session, page).catch(ignore);
  }
  resumeTarget(session).catch(ignore);
}

function followAttached(
  parent: CDPSession,
  { sessionId, targetInfo, waitingForDebugger }: Protocol.Target.AttachedToTargetEvent,
  page: FollowedPage,
): void {
  const session = parent.connection()?.session(sessionId);
  if (!session) return;
  if (targetInfo.type !== "iframe") {
    followWorker(session, page);
    // attaching pauses each new worker, so attach only to frames from now on, unless settings or rules need workers
    if (page.progress.activity?.hasOverflowed === true) attachToTargets(parent, page).catch(ignore);
    return;
  }
  followFrame(session, targetInfo.targetId, page).catch(ignore);
  if (waitingForDebugger) resumeTarget(session).catch(ignore); // runs after the commands of followFrame
}

/**
 * Attaches to the out-of-process frames that the session's own target opens. With settings, or requests to count or
 * check, it also attaches to workers, and pauses all of them until their sessions are set up, so that no request is missed.
 */
async function attachToTargets(session: CDPSession, page: FollowedPage): Promise<void> {
  const { progress, interceptor, followsWorkers } = page;
  const countsWorkers = progress.activity?.hasOverflowed === false && followsWorkers;
  const hasSettings = settingsFor("frames", page).length > 0;
  const mustPause = countsWorkers || hasSettings || interceptor.isNeeded;
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: mustPause,
    flatten: true,
    // selects workers too: with waitForDebuggerOnStart, a dedicated worker waits even if the filter excludes it
    filter: mustPause ? FRAMES_AND_WORKERS : FRAMES,
  });
}

/** For commands that may fail: their DevTools target may have closed, or may not support them. */
function ignore(): void {}
