import { giveUpAfter } from "../../../timeouts.ts";
import { evaluate } from "../evaluate.ts";
import { call, ROOTS_OF } from "../in-page.ts";
import { LOADING, WAITING } from "./scroll-through.ts";
import type { Step } from "./step.ts";
import { addStyles, hideElements, removeElements } from "./style-page.ts";

/** How long the page may take to load what it now shows. */
const CONTENT_MAX_MS = 2_000;
/** Added to the limit in the page, so the step's own limit applies only if the page is not responding. */
const UNRESPONSIVE_MS = 1_000;

/** The frame after a change requests backgrounds and fonts, and finds the lazy images in view; the next requests these. */
const AWAIT_CONTENT = `async ({ budgetMs }) => {
  ${ROOTS_OF} ${WAITING} ${LOADING}
  const end = performance.now() + budgetMs;
  // an image may have no size until it loads
  const isShown = (element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    return right >= 0 && bottom >= 0 && left < innerWidth && top < innerHeight && element.checkVisibility();
  };
  await nextFrame();
  await nextFrame();
  await waitUntil(end, () => !loadingNow().some(isShown));
}`;

/** `css`, `hideSelectors` and `removeSelectors`: also waits for what a style sheet loads, or a removed element uncovers. */
export const changeStyles: Step = async (page, signal) => {
  const { tab, parameters } = page;
  const haveRequestsEnded = tab.progress.watchNewRequests();
  for (const step of [addStyles, hideElements, removeElements]) await step(page, signal);
  if (parameters.css === undefined && parameters.removeSelectors === undefined) return [];
  const limit = { signal, durationMs: CONTENT_MAX_MS + UNRESPONSIVE_MS, otherwise: undefined };
  await giveUpAfter(limit, async (stepSignal) => {
    await evaluate(tab, call(AWAIT_CONTENT, { budgetMs: CONTENT_MAX_MS }), stepSignal);
  });
  await giveUpAfter({ ...limit, durationMs: CONTENT_MAX_MS }, (stepSignal) =>
    tab.progress.waitUntil(stepSignal, haveRequestsEnded),
  );
  return [];
};

/** Like `changeStyles`, for the page to which a click or a script may have led, and the sheets that they may have removed. */
export const changeNextPage: Step = async (page, signal) => {
  const { click, script } = page.parameters;
  return click === undefined && script === undefined ? [] : changeStyles(page, signal);
};
