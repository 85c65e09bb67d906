import { DEFAULT_WAIT, LIMITS, type WaitEvent } from "@snap/protocol";
import { abortable, giveUpAfter } from "../../timeouts.ts";
import { disableScripts } from "./configure/scripts.ts";
import { evaluate } from "./evaluate.ts";
import { requireDocument } from "./navigate.ts";
import { WAIT_CAPPED } from "../../ports/renderer.ts";
import { limitsEveryWait } from "../../parameters/waits.ts";
import { runRequestedWait } from "./prepare/requested-wait.ts";
import type { PageToRender } from "./page-to-render.ts";
import { STOPPED_LOADING_MAX_MS, type Tab } from "./tab.ts";

/** Number of open connections that an idle page may have. */
const CONNECTIONS_MAX = { networkidle0: 0, networkidle2: 2 } as const;

/** Returns how many connections may stay open; `null` if the wait does not count them. */
export function connectionLimitOf(waitUntil: WaitEvent = DEFAULT_WAIT): number | null {
  return waitUntil === "networkidle0" || waitUntil === "networkidle2" ? CONNECTIONS_MAX[waitUntil] : null;
}

/**
 * Waits until the document reaches `waitUntil`. Without it, waits until the network is nearly idle, at most 10 s after
 * `load`. Resolves with notes for the caller.
 *
 * @throws SnapError if the page navigates to a URL that fails to load.
 */
async function waitForPage(
  tab: Tab,
  waitUntil: WaitEvent | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (waitUntil !== undefined) await waitUntilReached(tab, waitUntil, signal);
  const isCapped = waitUntil === undefined && !(await waitUntilIdle(tab, signal));
  requireDocument(tab);
  return isCapped || !tab.progress.followsNavigations ? [WAIT_CAPPED] : [];
}

/**
 * Waits until the document is as ready as the caller requested. Called after the load, and again after a step that may
 * have sent requests or navigated.
 */
export async function waitUntilReady(
  { tab, parameters }: Pick<PageToRender, "tab" | "parameters">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const waitUntil = parameters.pdf ? undefined : parameters.waitUntil;
  if (waitUntil === undefined || !limitsEveryWait(parameters)) return waitForPage(tab, waitUntil, signal);
  return runRequestedWait({ parameters, name: "waitUntil", signal }, (stepSignal) =>
    waitForPage(tab, waitUntil, stepSignal),
  );
}

/** Returns whether the page may be captured as it is if the time to load it ends during the wait. */
export function acceptsCap({ tab, parameters }: Pick<PageToRender, "tab" | "parameters">): boolean {
  const isRequested = !parameters.pdf && parameters.waitUntil !== undefined;
  return isRequested ? parameters.onWaitTimeout === "capture" : tab.progress.hasReached("load");
}

/** Stops a page that could navigate during the capture, which would then fail. Its document may not load completely. */
export async function stopNavigatingPage(tab: Tab, signal: AbortSignal): Promise<void> {
  const { progress, session } = tab;
  if (!progress.navigatesRepeatedly) return;
  await abortable(signal, disableScripts(session));
  const limit = { signal, durationMs: STOPPED_LOADING_MAX_MS, otherwise: undefined };
  await giveUpAfter(limit, (stepSignal) => progress.waitUntil(stepSignal, settledCondition(tab, "load")));
}

/** Returns the condition that ends a wait; a failed navigation also ends it. */
export function settledCondition({ progress }: Tab, event: WaitEvent): () => boolean {
  return () => progress.failedUrl !== null || progress.hasReached(event);
}

async function waitUntilReached(tab: Tab, event: WaitEvent, signal: AbortSignal): Promise<void> {
  const condition = settledCondition(tab, event);
  do {
    await tab.progress.waitUntil(signal, condition);
    if (connectionLimitOf(event) !== null) await waitUntilResponsive(tab, signal);
  } while (!condition());
}

/** Resolves with whether the page became idle in time. */
async function waitUntilIdle(tab: Tab, signal: AbortSignal): Promise<boolean> {
  const { progress } = tab;
  const isIdle = settledCondition(tab, DEFAULT_WAIT);
  let deadline = { documentId: "", endsAtMs: 0 };
  for (;;) {
    await progress.waitUntil(signal, () => isIdle() || progress.hasReached("load"));
    const { documentId, followsNavigations: canNavigate } = progress;
    const hasNewDocument = (): boolean => canNavigate && progress.documentId !== documentId;
    // the limit restarts with each document while navigations are followed
    if (deadline.documentId === "" || (progress.followsNavigations && deadline.documentId !== documentId))
      deadline = { documentId, endsAtMs: performance.now() + LIMITS.idleAfterLoadMaxMs };
    const durationMs = Math.max(0, deadline.endsAtMs - performance.now());
    const isInTime = await giveUpAfter({ signal, durationMs, otherwise: false }, async (stepSignal) => {
      await progress.waitUntil(stepSignal, () => isIdle() || hasNewDocument());
      await waitUntilResponsive(tab, stepSignal);
      return true;
    });
    if (!isInTime) return false;
    if (isIdle()) return true;
  }
}

/** A page with busy scripts may be about to send requests, which are reported before this evaluation returns. */
async function waitUntilResponsive(tab: Tab, signal: AbortSignal): Promise<void> {
  if (tab.progress.failedUrl === null) await evaluate(tab, "0", signal);
}
