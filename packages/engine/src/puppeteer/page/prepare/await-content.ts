import { giveUpAfter } from "../../../timeouts.ts";
import { evaluate } from "../evaluate.ts";
import { call, ROOTS_OF } from "../in-page.ts";
import type { Tab } from "../tab.ts";
import { LOADING_HELPERS, WAIT_HELPERS } from "./loading.ts";

/** How long the page may take to load what it now shows. */
const CONTENT_MAX_MS = 2_000;
/** Added to the limit in the page, so the step's own limit applies only if the page is not responding. */
const UNRESPONSIVE_MS = 1_000;

/** After a change, the first frame requests backgrounds and fonts, and the second one the lazy images in view. */
const AWAIT_CONTENT = `async ({ budgetMs }) => {
  ${ROOTS_OF} ${WAIT_HELPERS} ${LOADING_HELPERS}
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

/** Makes a change to the page, and waits for what the page then loads: what is in view, and new requests. */
export async function awaitContent(
  tab: Tab,
  change: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  const haveRequestsEnded = tab.progress.watchNewRequests();
  await change();
  const limit = { signal, durationMs: CONTENT_MAX_MS + UNRESPONSIVE_MS, otherwise: undefined };
  await giveUpAfter(limit, async (stepSignal) => {
    await evaluate(tab, call(AWAIT_CONTENT, { budgetMs: CONTENT_MAX_MS }), stepSignal);
  });
  await giveUpAfter({ ...limit, durationMs: CONTENT_MAX_MS }, (stepSignal) =>
    tab.progress.waitUntil(stepSignal, haveRequestsEnded),
  );
}
