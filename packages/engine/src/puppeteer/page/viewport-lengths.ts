import { abortable } from "../../timeouts.ts";
import { applyViewport, type Viewport } from "./configure/viewport.ts";
import { evaluate } from "./evaluate.ts";
import { ADOPT_SHEET, call, ROOTS_OF, SET_STYLE } from "./in-page.ts";
import type { Tab } from "./tab.ts";

/** Maximum number of elements to search. */
const ELEMENTS_MAX = 20_000;

/** Lengths that can be relative to the viewport's height. */
const LENGTH_PROPERTIES =
  "width height min-width min-height max-width max-height top bottom left right translate transform margin-top margin-bottom margin-left margin-right padding-top padding-bottom padding-left padding-right font-size line-height row-gap flex-basis grid-template-rows grid-auto-rows".split(
    " ",
  );

/**
 * During a transition, a length does not have its new value yet. Important declarations in a layer
 * win over those outside.
 */
const STOP_TRANSITIONS = `() => {
  ${ROOTS_OF} ${ADOPT_SHEET}
  adoptSheet(rootsOf(document), "@layer { *, ::before, ::after { transition: none !important } }");
}`;

/** Stores computed lengths as `snapLengths` in the service's isolated world. */
const RECORD_LENGTHS = `(pinsFixedElements) => {
  ${ROOTS_OF}
  // a height in percent is relative to the viewport on the root element and, in quirks mode, also on the body
  const filling = [document.documentElement, document.compatMode === "BackCompat" ? document.body : null];
  const names = ${JSON.stringify(LENGTH_PROPERTIES)};
  globalThis.snapIsPinned = (element) => pinsFixedElements && getComputedStyle(element).position === "fixed";
  globalThis.snapLengthsOf = (element) => {
    // the used values; the position at the top determines the one at the bottom
    if (snapIsPinned(element)) {
      const used = getComputedStyle(element);
      return names.map((name) => (name === "bottom" ? "auto" : used.getPropertyValue(name)));
    }
    const styles = element.computedStyleMap();
    // an animated transform changes over time, not with the viewport
    const isMoving = String(styles.get("transform")) + styles.get("translate") !== "nonenone" && element.getAnimations().length > 0;
    return names.map((name) => {
      const value = isMoving && /^trans/.test(name) ? "moving" : String(styles.get(name));
      return filling.includes(element) && /height/.test(name) && /^[\\d.]+%$/.test(value)
        ? (parseFloat(value) / 100) * innerHeight + "px"
        : value;
    });
  };
  const elements = rootsOf(document).flatMap((part) => [...part.querySelectorAll("*")]).slice(0, ${ELEMENTS_MAX});
  globalThis.snapLengths = new Map(elements.map((element) => [element, snapLengthsOf(element)]));
}`;

/** Freezes, at their current values, the lengths that have changed since they were recorded. */
const FREEZE_LENGTHS = `() => {
  ${SET_STYLE}
  if (globalThis.snapLengths === undefined) return false; // another document has replaced the recorded one
  const names = ${JSON.stringify(LENGTH_PROPERTIES)};
  const changes = [...snapLengths].flatMap(([element, before]) =>
    snapLengthsOf(element).flatMap((value, index) =>
      [value, before[index]].includes("moving") || value === before[index] ? [] : [[element, names[index], value]],
    ),
  );
  for (const [element, name, value] of changes) {
    setStyle(element, name, value);
    if (snapIsPinned(element)) setStyle(element, "bottom", "auto");
  }
  return changes.length > 0;
}`;

/** A viewport for the page, and another one of a different height. */
export interface Viewports {
  readonly final: Viewport;
  readonly other: Viewport;
  /** Whether elements with `position: fixed` stay where they are, rather than at the edges of the viewport. */
  readonly pinsFixedElements: boolean;
}

/**
 * Freezes lengths in units such as `vh` at their values in the final viewport, which the page then has. Returns whether
 * there are any. After a print, Chromium updates them only when the viewport changes.
 */
export async function freezeLengths(
  tab: Tab,
  { final, other, pinsFixedElements }: Viewports,
  signal: AbortSignal,
): Promise<boolean> {
  await evaluate(tab, call(STOP_TRANSITIONS), signal);
  await changeViewport(tab, other, signal);
  await evaluate(tab, call(RECORD_LENGTHS, pinsFixedElements), signal);
  await changeViewport(tab, final, signal);
  return evaluate<boolean>(tab, call(FREEZE_LENGTHS), signal);
}

export function changeViewport({ session }: Tab, viewport: Viewport, signal: AbortSignal): Promise<void> {
  return abortable(signal, applyViewport(session, viewport));
}
