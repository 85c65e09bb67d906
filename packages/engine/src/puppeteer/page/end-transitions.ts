import { giveUpAfter } from "../../timeouts.ts";
import { evaluate } from "./evaluate.ts";
import { ROOTS_OF } from "./in-page.ts";
import type { Tab } from "./tab.ts";

/**
 * A page can change its document in a transition for as long as it likes. This limits the wait
 * before each capture that `stabilize` compares, before a mask, and before the final capture.
 */
const CHANGE_MAX_MS = 1_000;

/**
 * A form control with the property's name hides the form's property, but not the prototype's
 * getter.
 */
const END_TRANSITIONS = `(async () => {
  ${ROOTS_OF}
  const { get: transitionOf } = Object.getOwnPropertyDescriptor(Element.prototype, "activeViewTransition") ?? {};
  const transitionsNow = () => {
    const elements = rootsOf(document).flatMap((root) => [...root.querySelectorAll("*")]);
    return [document.activeViewTransition, ...elements.map((element) => transitionOf?.call(element))]
      .filter((transition) => transition);
  };
  const end = performance.now() + ${CHANGE_MAX_MS};
  // a page can start the next one as soon as one has finished
  for (let active = transitionsNow(); active.length > 0 && performance.now() < end; active = transitionsNow()) {
    for (const transition of active) transition.skipTransition();
    await Promise.allSettled(active.map(({ finished }) => finished));
  }
})().catch(() => {})`;

/**
 * Ends view transitions, and waits until the page has made the changes that they show. The document's transition paints
 * snapshots of the viewport above everything else; an element's paints them where its content was before. A page in which
 * this fails is captured as it is.
 */
export async function endTransitions(tab: Tab, signal: AbortSignal): Promise<void> {
  const limit = { signal, durationMs: CHANGE_MAX_MS, otherwise: undefined };
  await giveUpAfter(limit, (stepSignal) => evaluate(tab, END_TRANSITIONS, stepSignal));
}
