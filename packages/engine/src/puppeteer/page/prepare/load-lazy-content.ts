import type { SnapParameters } from "@snap/protocol";
import { LAZY_CAPPED } from "../../../ports/renderer.ts";
import { giveUpAfter } from "../../../timeouts.ts";
import { capturableHeight } from "../capture-screenshot.ts";
import { evaluate } from "../evaluate.ts";
import { call } from "../in-page.ts";
import { hasFragment, imageNotes, reachesBeyondViewport } from "../measure.ts";
import type { Tab } from "../tab.ts";
import { LAZY_MAX_MS, SCROLL_THROUGH, type ScrollRequest, type ScrollResult } from "./scroll-through.ts";
import type { Step } from "./step.ts";

/** How long the page may take to react when it is scrolled back to its top. */
const RETURN_MAX_MS = 1_500;
const NO_END = Number.MAX_SAFE_INTEGER;
/** Added to the limits in the page, so the step's own limit applies only if the page is not responding. */
const UNRESPONSIVE_MS = 1_000;

/** How long a page may take, and the height in CSS pixels up to which its growth is followed. */
const LIMITS = {
  auto: { budgetMs: 2_000, growthLimitY: 20_000 },
  scroll: { budgetMs: 10_000, growthLimitY: 40_000 },
} as const;
/**
 * Fraction of the height of the largest screenshot, up to which growth is followed. The rest is for
 * content that an infinite scroll adds afterwards.
 */
const CAPTURABLE_FRACTION = 0.75;

/** `lazyContent`: loads content outside the viewport. */
export const loadLazyContent: Step = async ({ tab, parameters }, signal) => {
  const { lazyContent = "auto" } = parameters;
  if (lazyContent === "off") return [];
  if (lazyContent === "auto" && !parameters.pdf && !reachesBeyondViewport(parameters)) return [];
  const { budgetMs, growthLimitY } = LIMITS[lazyContent];
  const request: ScrollRequest = {
    scroll: scrollModeOf(parameters),
    releasedBackgrounds: releasedBackgroundsOf(parameters),
    hasFragment: hasFragment(parameters),
    fromY: 0,
    endY: parameters.pdf ? NO_END : (parameters.fullPageMaxHeight ?? NO_END),
    growthLimitY: Math.min(growthLimitY, capturableHeight(parameters) * CAPTURABLE_FRACTION),
    budgetMs,
    returnMs: RETURN_MAX_MS,
  };
  const { isCapped, failedImages } = await scrollUntilLoaded(tab, request, signal);
  // for a screenshot, `measure` counts the failed images
  return [...(isCapped ? [LAZY_CAPPED] : []), ...(parameters.pdf ? imageNotes(failedImages) : [])];
};

function scrollModeOf(parameters: SnapParameters): ScrollRequest["scroll"] {
  if (parameters.lazyContent === "scroll") return "thoroughly";
  const capturesAll = parameters.pdf || parameters.fullPage;
  return capturesAll && parameters.javascript ? "through" : "none";
}

/** A capture of the viewport already shows fixed backgrounds. In print, they are fixed to each page. */
function releasedBackgroundsOf(parameters: SnapParameters): ScrollRequest["releasedBackgrounds"] {
  if (parameters.pdf || !reachesBeyondViewport(parameters)) return "none";
  return parameters.fullPage ? "elements-and-page" : "elements";
}

/**
 * Scrolls again while an earlier round's requests may make the page grow. When a request ends, a
 * script may not have received the response yet, so a second round follows if scripts sent requests
 * during the first. Further rounds follow only while the page grows or requests are in flight.
 */
async function scrollUntilLoaded(
  tab: Tab,
  request: ScrollRequest,
  signal: AbortSignal,
): Promise<ScrollResult> {
  const { progress } = tab;
  const endMs = performance.now() + request.budgetMs + request.returnMs;
  const scriptRequests = (): number => progress.activity?.scriptRequests ?? 0;
  const scriptRequestsBefore = scriptRequests();
  const isSettled = progress.watchNewRequests();
  let result = await scrollThrough(tab, request, signal);
  const remainingMs = (): number => endMs - result.returnMs - performance.now();
  const settle = async (): Promise<void> => {
    const limit = { signal, durationMs: Math.max(0, remainingMs()), otherwise: undefined };
    await giveUpAfter(limit, (stepSignal) => progress.waitUntil(stepSignal, isSettled));
  };
  if (result.reachedY === null && result.hasDrawn) await settle();
  let isComplete = scriptRequests() === scriptRequestsBefore;
  while (result.reachedY !== null && !(isComplete && isSettled())) {
    await settle();
    const budgetMs = remainingMs();
    if (budgetMs <= 0) return { ...result, isCapped: true };
    const { reachedY: fromY, growthLimitY, returnMs } = result;
    result = await scrollThrough(tab, { ...request, fromY, growthLimitY, budgetMs, returnMs }, signal);
    isComplete = result.reachedY === fromY;
  }
  return result;
}

async function scrollThrough(tab: Tab, request: ScrollRequest, signal: AbortSignal): Promise<ScrollResult> {
  const { growthLimitY, budgetMs, returnMs } = request;
  const otherwise = {
    reachedY: null,
    isCapped: true,
    growthLimitY,
    returnMs,
    failedImages: 0,
    hasDrawn: false,
  };
  const durationMs = Math.max(budgetMs + returnMs, LAZY_MAX_MS) + UNRESPONSIVE_MS;
  const limit = { signal, durationMs, otherwise };
  return giveUpAfter(limit, (stepSignal) =>
    evaluate<ScrollResult>(tab, call(SCROLL_THROUGH, request), stepSignal),
  );
}
