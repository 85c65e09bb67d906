import { DEFAULT_WAIT, LIMITS, type WaitEvent } from "@snap/protocol";
import { pause, unless, within } from "../../timeouts.ts";
import { evaluate } from "./evaluate.ts";
import { invalidSelector } from "./measure.ts";
import { requireDocument } from "./navigate.ts";
import { WAIT_CAPPED } from "../../ports/renderer.ts";
import type { Tab } from "./tab.ts";

/** How many connections an idle page may have. */
const CONNECTIONS_MAX = { networkidle0: 0, networkidle2: 2 } as const;

const SELECTOR_POLL_INTERVAL_MS = 100;

const CAPPED = new Error("the page did not become idle in time");

/** How many connections the wait puts up with; `null` where it does not count them. */
export function connectionLimitOf(waitUntil: WaitEvent = DEFAULT_WAIT): number | null {
  return waitUntil === "networkidle0" || waitUntil === "networkidle2" ? CONNECTIONS_MAX[waitUntil] : null;
}

/**
 * Waits until the document shown has got as far as was asked for; where nothing was, until the
 * network is nearly idle or for 10 s after `load`. Resolves with remarks for the caller.
 *
 * @throws SnapError when the page leads to where nothing can be shown
 */
export async function waitForPage(
  tab: Tab,
  waitUntil: WaitEvent | undefined,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const notes = waitUntil === undefined ? await waitUntilIdle(tab, signal) : [];
  if (waitUntil !== undefined) await waitUntilReached(tab, waitUntil, signal);
  requireDocument(tab);
  return notes;
}

/**
 * Waits until an element matches, in whatever document the main frame then shows.
 *
 * @throws SnapError `render_failed` when the selector is not valid CSS
 */
export async function waitForSelector(tab: Tab, selector: string, signal: AbortSignal): Promise<void> {
  const exists = `(() => {
    try {
      return document.querySelector(${JSON.stringify(selector)}) !== null;
    } catch {
      return "invalid";
    }
  })()`;
  for (;;) {
    const answer = await evaluate<boolean | "invalid">(tab, exists, signal);
    if (answer === "invalid") throw invalidSelector(selector);
    if (answer) return;
    await pause(signal, SELECTOR_POLL_INTERVAL_MS);
    requireDocument(tab);
  }
}

/** Waiting is over also when there is nothing left to wait for. */
function isSettled({ progress }: Tab, event: WaitEvent): () => boolean {
  return () => progress.failedUrl !== null || progress.hasReached(event);
}

/**
 * A page that navigates without end would be disconnected whenever it is looked at: its scripts are stopped, and
 * its next document stays as it comes.
 */
async function waitUntilSettled(
  { progress, session }: Tab,
  { signal, isSettled: isDone }: { readonly signal: AbortSignal; readonly isSettled: () => boolean },
): Promise<void> {
  await progress.until(signal, () => isDone() || !progress.followsNavigations);
  if (progress.followsNavigations) return;
  await unless(signal, session.send("Emulation.setScriptExecutionDisabled", { value: true }));
  await progress.until(signal, isDone);
}

async function waitUntilReached(tab: Tab, event: WaitEvent, signal: AbortSignal): Promise<void> {
  const isReached = isSettled(tab, event);
  do {
    await waitUntilSettled(tab, { signal, isSettled: isReached });
    if (connectionLimitOf(event) !== null) await waitForResponse(tab, signal);
  } while (!isReached());
}

async function waitUntilIdle(tab: Tab, signal: AbortSignal): Promise<readonly string[]> {
  const { progress } = tab;
  const isIdle = isSettled(tab, DEFAULT_WAIT);
  let cap = { documentId: "", endsAtMs: 0 };
  for (;;) {
    await waitUntilSettled(tab, { signal, isSettled: () => isIdle() || progress.hasReached("load") });
    const { documentId } = progress;
    const hasMovedOn = (): boolean => progress.followsNavigations && progress.documentId !== documentId;
    // the time begins anew with another document, as long as the page is followed
    if (cap.documentId === "" || (progress.followsNavigations && cap.documentId !== documentId))
      cap = { documentId, endsAtMs: performance.now() + LIMITS.idleAfterLoadMaxMs };
    const durationMs = Math.max(0, cap.endsAtMs - performance.now());
    try {
      await within({ signal, durationMs, reason: () => CAPPED }, async (limited) => {
        await progress.until(limited, () => isIdle() || hasMovedOn());
        await waitForResponse(tab, limited);
      });
    } catch (error) {
      if (error === CAPPED) return [WAIT_CAPPED];
      throw error;
    }
    if (isIdle()) return progress.followsNavigations ? [] : [WAIT_CAPPED];
  }
}

/** A page that is too busy to respond may be about to ask for more: what it asked for is reported before this ends. */
async function waitForResponse(tab: Tab, signal: AbortSignal): Promise<void> {
  if (tab.progress.failedUrl === null) await evaluate(tab, "0", signal);
}
