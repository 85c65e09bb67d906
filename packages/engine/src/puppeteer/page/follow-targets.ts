import type { CDPSession, Protocol } from "puppeteer";
import type { PageChannel } from "../browser/page-channel.ts";
import type { PageEgress } from "../proxy/page-egress.ts";
import type { PageProcesses } from "./page-processes.ts";
import type { PageProgress } from "./page-progress.ts";

/** A page whose out-of-process frames and workers are followed through auto-attach. */
export interface FollowedPage {
  readonly session: CDPSession;
  readonly channel: PageChannel;
  readonly progress: PageProgress;
  readonly processes: PageProcesses;
  readonly egress: PageEgress;
  /**
   * Whether workers are followed. Each worker is paused until its requests are reported. A browser that opens pop-ups
   * would pause those too, and block their openers.
   */
  readonly followsWorkers: boolean;
}

const FRAMES = [{ type: "iframe" }];
const FRAMES_AND_WORKERS = [...FRAMES, { type: "worker" }, { type: "service_worker" }];
/** Bodies are not read through the protocol, so the browser need not buffer them. */
const COUNT_REQUESTS = { maxTotalBufferSize: 0, maxResourceBufferSize: 0, maxPostDataSize: 0 };

/**
 * Silences the console and the reports of errors: each line passes through the browser process, and a flood would block
 * all pages. Disables `window.close`, which Chromium allows in a page without a previous document.
 */
const BEFORE_SCRIPTS = `for (const name of Object.keys(console)) {
  // createTask writes nothing and pages use its result; context would return a console that writes
  if (name !== "createTask" && typeof console[name] === "function") console[name] = () => {};
}
console.context = () => console;
for (const type of ["error", "unhandledrejection"]) addEventListener(type, (event) => event.preventDefault());
window.close = () => {};`;

/** Resumes a target that was paused when its session attached. */
export async function resumeTarget(session: CDPSession): Promise<void> {
  await session.send("Runtime.runIfWaitingForDebugger");
}

/** Follows a page's main frame or an out-of-process frame. */
export async function followFrame(session: CDPSession, frameId: string, page: FollowedPage): Promise<void> {
  const { progress, processes, egress, channel } = page;
  channel.include(session.id());
  progress.follow(session, frameId);
  processes.add(session);
  session.on("Target.attachedToTarget", (attached) => followAttached(session, attached, page));
  await Promise.all([
    ...(egress.guard === null ? [] : [egress.guard(session)]),
    session.send("Page.enable"),
    session.send("Page.addScriptToEvaluateOnNewDocument", { source: BEFORE_SCRIPTS, runImmediately: true }),
    attachToTargets(session, page),
    ...(progress.activity === null ? [] : [session.send("Network.enable", COUNT_REQUESTS)]),
  ]);
}

/** Counts the page's connections from now on. Must be called before the page sends a request. */
export async function countConnections(page: FollowedPage, connectionsMax: number): Promise<void> {
  const { session, progress, followsWorkers } = page;
  progress.countConnections({ connectionsMax, countsWorkers: followsWorkers });
  await Promise.all([attachToTargets(session, page), session.send("Network.enable", COUNT_REQUESTS)]);
}

/** Follows a worker until it ends; only resumes it if its requests do not count. */
export function followWorker(session: CDPSession, page: FollowedPage): void {
  page.channel.include(session.id());
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
    // stop attaching to its workers, which would pause them
    if (page.progress.activity?.hasOverflowed === true) attachToTargets(parent, page).catch(ignore);
    return;
  }
  followFrame(session, targetInfo.targetId, page).catch(ignore);
  if (waitingForDebugger) resumeTarget(session).catch(ignore); // runs after the commands of followFrame
}

/** Pauses targets whose requests are counted or checked until their session is set up, so that none is missed. */
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

/** A command fails if its target has already closed, which needs no handling. */
function ignore(): void {}
