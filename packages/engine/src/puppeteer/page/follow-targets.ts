import type { CDPSession, Protocol } from "puppeteer";
import type { PageEgress } from "../proxy/page-egress.ts";
import type { PageProgress } from "./page-progress.ts";

/** A page's own session leads to those of its frames in other processes and of its workers. */
export interface FollowedPage {
  readonly session: CDPSession;
  readonly progress: PageProgress;
  readonly egress: PageEgress;
  /**
   * Whether workers are followed. Each is held until it reports its requests, and where pop-ups open,
   * Chromium would hold those too, and their opener with them.
   */
  readonly followsWorkers: boolean;
}

const FRAMES = [{ type: "iframe" }];
const FRAMES_AND_WORKERS = [...FRAMES, { type: "worker" }, { type: "service_worker" }];
/** Nobody reads the bodies through the protocol, so the browser need not keep them. */
const COUNT_REQUESTS = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 };

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

/** Lets a target run that was held when it was attached to. */
export async function resumeTarget(session: CDPSession): Promise<void> {
  await session.send("Runtime.runIfWaitingForDebugger");
}

/** Follows a page's main frame, or a frame that Chromium puts in another process. */
export async function followFrame(session: CDPSession, frameId: string, page: FollowedPage): Promise<void> {
  const { progress, egress } = page;
  progress.follow(session, frameId);
  session.on("Target.attachedToTarget", (attached) => followAttached(session, attached, page));
  await Promise.all([
    ...(egress.guard === null ? [] : [egress.guard(session)]),
    session.send("Page.enable"),
    session.send("Page.setLifecycleEventsEnabled", { enabled: true }),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: BEFORE_SCRIPTS, runImmediately: true }),
    attachToTargets(session, page),
    ...(progress.activity === null ? [] : [session.send("Network.enable", COUNT_REQUESTS)]),
  ]);
}

/** Counts the page's connections from now on. To be called before the page asks for anything. */
export async function countConnections(page: FollowedPage, connectionsMax: number): Promise<void> {
  const { session, progress, followsWorkers } = page;
  progress.countConnections({ connectionsMax, countsWorkers: followsWorkers });
  await Promise.all([attachToTargets(session, page), session.send("Network.enable", COUNT_REQUESTS)]);
}

/** Follows a worker until it ends. One whose requests do not count is only let go. */
export function followWorker(session: CDPSession, page: FollowedPage): void {
  const { activity } = page.progress;
  const isCounted = activity !== null && !activity.hasOverflowed;
  activity?.beginWorker();
  if (isCounted) {
    page.progress.follow(session, null);
    session.on("Target.attachedToTarget", (attached) => followAttached(session, attached, page));
    session.send("Network.enable", COUNT_REQUESTS).catch(ignore);
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
    // nothing of it is attached to any more, and so nothing is held
    if (page.progress.activity?.hasOverflowed === true) attachToTargets(parent, page).catch(ignore);
    return;
  }
  followFrame(session, targetInfo.targetId, page).catch(ignore);
  if (waitingForDebugger) resumeTarget(session).catch(ignore); // after what was sent before
}

/** What is counted or guarded is held until it is set up, so that no request of it is missed. */
async function attachToTargets(
  session: CDPSession,
  { progress, egress, followsWorkers }: FollowedPage,
): Promise<void> {
  const countsWorkers = progress.activity?.hasOverflowed === false && followsWorkers;
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: countsWorkers || egress.guard !== null,
    flatten: true,
    filter: countsWorkers ? FRAMES_AND_WORKERS : FRAMES,
  });
}

/** A target that is disconnected again has nothing to report. */
function ignore(): void {}
