import { evaluate } from "../evaluate.ts";
import { ROOTS_OF, SET_STYLE } from "../in-page.ts";
import type { Step } from "./step.ts";

/** A scroll container that covers a smaller fraction of the viewport is only a part of the page, not the main one. */
const VIEWPORT_FRACTION_MIN = 0.25;

/**
 * Removes the height limits of the largest scroll container and all its ancestors, which still clip their content at the
 * sides. If its layout still makes it shorter than its content, it gets the content's height as its minimum.
 */
const EXPAND = `(() => {
  ${ROOTS_OF} ${SET_STYLE}
  const page = document.scrollingElement;
  const parentOf = (element) => element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  const scrolls = (element) =>
    element !== page && element.scrollHeight > element.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(element).overflowY);
  const areaOf = ({ clientWidth, clientHeight }) => clientWidth * clientHeight;
  const [largest] = rootsOf(document).flatMap((root) => [...root.querySelectorAll("*")].filter(scrolls))
    .sort((a, b) => areaOf(b) - areaOf(a));
  if (largest === undefined || areaOf(largest) < innerWidth * innerHeight * ${VIEWPORT_FRACTION_MIN}) return;
  const height = largest.scrollHeight;
  const set = (element, style) => {
    for (const [name, value] of Object.entries(style)) setStyle(element, name, value);
  };
  const release = (element) => {
    const { position, overflowX } = getComputedStyle(element);
    const parent = parentOf(element);
    const inColumn = parent !== null && getComputedStyle(parent).flexDirection.startsWith("column");
    set(element, { height: "auto", "max-height": "none", "overflow-y": "visible", contain: "none" });
    set(element, { "overflow-x": overflowX === "visible" ? "visible" : "clip" });
    if (inColumn) set(element, { flex: "0 0 auto" });
    if (position === "fixed") set(element, { position: "absolute" });
    if (position === "fixed" || position === "absolute") set(element, { bottom: "auto" });
  };
  largest.scrollTop = 0;
  for (let element = largest; element !== null; element = parentOf(element)) release(element);
  if (largest.clientHeight < height) set(largest, { "min-height": height + "px" });
})()`;

/** `expandScrollers`: lays out the largest inner scroll container at its full height. */
export const expandScrollers: Step = async ({ tab, parameters }, signal) => {
  if (parameters.expandScrollers) await evaluate(tab, EXPAND, signal);
  return [];
};
