import { pause, unless, within } from "./abort.ts";
import { evaluate } from "./evaluate.ts";
import { invalidSelector } from "./measure.ts";
import { requireDocument } from "./navigate.ts";
import { WAIT_CAPPED } from "../ports/renderer.ts";
import type { WaitEvent } from "./page-progress.ts";
import type { Tab } from "./tab.ts";

/** How many connections an idle page may have. */
const CONNECTIONS_MAX = { networkidle0: 0, networkidle2: 2 } as const;
const DEFAULT_WAIT = "networkidle2";

/** decisions.md, Rendering: a page that never gets idle is captured this long after `load`. */
const IDLE_AFTER_LOAD_MAX_MS = 10_000;
const SELECTOR_POLL_INTERVAL_MS = 100;

const CAPPED = new Error("the page did not get idle in time");

/** How many connections the wait puts up with; `null` where it does not count them. */
export function connectionsAllowed(waitUntil: WaitEvent = DEFAULT_WAIT): number | null {
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
  for (;;) {
    const notes = waitUntil === undefined ? await waitUntilIdle(tab, signal) : [];
    if (waitUntil !== undefined)
      await waitUntilSettled(tab, { signal, isSettled: isSettled(tab, waitUntil) });
    requireDocument(tab);
    if (connectionsAllowed(waitUntil) === null || notes.length > 0) return notes;
    // a page that was too busy to answer was too busy to ask for more
    await evaluate(tab, "0", signal);
    if (tab.progress.hasReached(waitUntil ?? DEFAULT_WAIT)) return notes;
  }
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
 * A page that navigates without end would be gone whenever it is looked at: its scripts are stopped, and
 * its next document stays as it comes.
 */
async function waitUntilSettled(
  { progress, session }: Tab,
  { signal, isSettled: isDone }: { readonly signal: AbortSignal; readonly isSettled: () => boolean },
): Promise<void> {
  await progress.until(signal, () => isDone() || !progress.isFollowed);
  if (progress.isFollowed) return;
  await unless(signal, session.send("Emulation.setScriptExecutionDisabled", { value: true }));
  await progress.until(signal, isDone);
}

async function waitUntilIdle(tab: Tab, signal: AbortSignal): Promise<readonly string[]> {
  const { progress } = tab;
  const isIdle = isSettled(tab, DEFAULT_WAIT);
  while (!isIdle()) {
    await waitUntilSettled(tab, { signal, isSettled: () => isIdle() || progress.hasReached("load") });
    const { documentId } = progress;
    const limit = { signal, durationMs: IDLE_AFTER_LOAD_MAX_MS, reason: () => CAPPED };
    try {
      // the time begins anew when the page moves on to another document, as far as it is followed
      const hasMovedOn = (): boolean => progress.isFollowed && progress.documentId !== documentId;
      const isOver = (): boolean => isIdle() || hasMovedOn();
      await within(limit, (limited) => progress.until(limited, isOver));
    } catch (error) {
      if (error === CAPPED) return [WAIT_CAPPED];
      throw error;
    }
  }
  return progress.isFollowed ? [] : [WAIT_CAPPED];
}
