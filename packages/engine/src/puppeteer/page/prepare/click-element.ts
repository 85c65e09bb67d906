import { abortable } from "../../../timeouts.ts";
import { CLICK_UNMATCHED } from "../../../ports/renderer.ts";
import { evaluate } from "../evaluate.ts";
import { invalidSelector } from "../measure.ts";
import { call, MATCHES_OF, ROOTS_OF } from "../in-page.ts";
import type { Tab } from "../tab.ts";
import { waitUntilReady } from "../wait-for-page.ts";
import type { Step } from "./step.ts";

interface Point {
  readonly x: number;
  readonly y: number;
}

/**
 * Returns the element's center, in viewport coordinates. If something covers that point, calls the element's `click()`
 * instead, as pressing Enter would.
 */
const LOCATE = `(selector) => {
  ${ROOTS_OF} ${MATCHES_OF}
  const matches = matchesOf(rootsOf(document), selector);
  if (matches === null) return "invalid";
  const [element] = matches;
  if (element === undefined) return "unmatched";
  element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const { left, top, width, height } = element.getBoundingClientRect();
  const point = { x: left + width / 2, y: top + height / 2 };
  const hit = element.getRootNode().elementFromPoint(point.x, point.y);
  if (hit !== null && (element.contains(hit) || shadowRootOf(hit)?.contains(element))) return point;
  if (element instanceof HTMLElement) element.click();
  else element.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true }));
  return "clicked";
}`;

const SCROLL_STATE = "({ hash: location.hash, left: scrollX, top: scrollY })";

interface ScrollState {
  readonly hash: string;
  readonly left: number;
  readonly top: number;
}

/**
 * Restores the scroll position from before the click, or scrolls to the target of a fragment link. Ends a smooth scroll
 * that is still in progress.
 */
const SCROLL_BACK = `({ hash, position }) => {
  const target = location.hash === hash ? null : document.querySelector(":target");
  if (target === null) scrollTo({ ...position, behavior: "instant" });
  else target.scrollIntoView({ behavior: "instant" });
}`;

/**
 * `click`: clicks the first match as a user would, and waits until the page is ready again. Searches open shadow roots
 * last.
 */
export const clickElement: Step = async ({ tab, parameters }, signal) => {
  const { click: selector } = parameters;
  if (selector === undefined) return [];
  const { hash, ...position } = await evaluate<ScrollState>(tab, SCROLL_STATE, signal);
  const match = await evaluate<Point | "invalid" | "unmatched" | "clicked">(
    tab,
    call(LOCATE, selector),
    signal,
  );
  if (match === "invalid") throw invalidSelector(selector);
  if (match === "unmatched") return [CLICK_UNMATCHED];
  if (match !== "clicked") await press(tab, match, signal);
  const notes = await waitUntilReady({ tab, parameters }, signal);
  await evaluate(tab, call(SCROLL_BACK, { hash, position }), signal);
  return notes;
};

async function press({ session }: Tab, point: Point, signal: AbortSignal): Promise<void> {
  const at = { ...point, button: "left", clickCount: 1 } as const;
  const events = [
    session.send("Input.dispatchMouseEvent", { ...point, type: "mouseMoved" }),
    session.send("Input.dispatchMouseEvent", { ...at, type: "mousePressed" }),
    session.send("Input.dispatchMouseEvent", { ...at, type: "mouseReleased" }),
    // otherwise the element would stay hovered
    session.send("Input.dispatchMouseEvent", { x: -1, y: -1, type: "mouseMoved" }),
  ];
  await abortable(signal, Promise.all(events));
}
