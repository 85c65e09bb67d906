import { DEFAULT_MASK_COLOR } from "@snap/protocol";
import { evaluate } from "../evaluate.ts";
import { invalidSelector, REVEAL } from "../measure.ts";
import { ROOTS_OF } from "../shadow-roots.ts";
import type { Step } from "./step.ts";

/**
 * The boxes lie in the top layer, which no element of the page clips or covers and in which nothing takes part in the
 * layout of the page. An observer reports the visible part of each match, so that a match that its container hides makes
 * no page larger. The captured element is scrolled to before, as measuring it would move the matches.
 */
const COVER = `async ({ selector, color, captured }) => {
  ${ROOTS_OF} ${REVEAL}
  let matches;
  try {
    matches = rootsOf(document).flatMap((root) => [...root.querySelectorAll(selector)]);
  } catch {
    return "invalid";
  }
  try {
    const element = captured === null ? null : document.querySelector(captured);
    if (element !== null) reveal(element);
  } catch {} // reported when it is measured
  const visible = matches.filter((element) => element.checkVisibility({ visibilityProperty: true }));
  if (visible.length === 0) return "covered";
  const entries = await new Promise((resolve) => {
    const observer = new IntersectionObserver(resolve, { rootMargin: "1000000px" });
    for (const element of visible) observer.observe(element);
  });
  const set = (element, style) => {
    element.style.setProperty("all", "initial", "important");
    for (const [name, value] of Object.entries(style)) element.style.setProperty(name, value, "important");
  };
  const place = { position: "absolute", top: "0", left: "0", width: "0", height: "0", display: "block", overflow: "visible" };
  const host = document.createElement("snap-masks");
  host.popover = "manual";
  set(host, place);
  const boxes = host.attachShadow({ mode: "closed" });
  for (const { target, boundingClientRect: all, intersectionRect: part } of entries) {
    if (part.width === 0 || part.height === 0) continue;
    // the observer rounds its rectangles
    const isWhole = part.width > all.width - 1 && part.height > all.height - 1;
    const { left, top, right, bottom } = isWhole ? target.getBoundingClientRect() : part;
    const [x, y] = [Math.floor(left), Math.floor(top)];
    const box = document.createElement("div");
    set(box, {
      ...place,
      left: x + scrollX + "px",
      top: y + scrollY + "px",
      width: Math.ceil(right) - x + "px",
      height: Math.ceil(bottom) - y + "px",
      background: color,
      "forced-color-adjust": "none",
    });
    boxes.append(box);
  }
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("snap-masks::backdrop { display: none !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  document.documentElement.append(host);
  host.showPopover();
  return "covered";
}`;

/** `mask`: covers every visible match in the main frame with a box, in open shadow roots, too. */
export const mask: Step = async ({ tab, parameters }, signal) => {
  if (parameters.pdf || parameters.mask === undefined) return [];
  const { mask: selector, maskColor = DEFAULT_MASK_COLOR } = parameters;
  const request = { selector, color: maskColor, captured: parameters.selector ?? null };
  const call = `(${COVER})(${JSON.stringify(request)})`;
  if ((await evaluate<"covered" | "invalid">(tab, call, signal)) === "invalid")
    throw invalidSelector(selector);
  return [];
};
