import { DEFAULT_MASK_COLOR, type ScreenshotParameters } from "@snap/protocol";
import { SnapError } from "../../../errors.ts";
import { CAPTURE_TOO_LARGE } from "../../../ports/renderer.ts";
import { abortable, withTimeout } from "../../../timeouts.ts";
import { disableScripts } from "../configure/scripts.ts";
import { endTransitions } from "../end-transitions.ts";
import { evaluate } from "../evaluate.ts";
import { invalidSelector, REVEAL, SCROLL_TO_TOP, scrollRequest } from "../measure.ts";
import type { Tab } from "../tab.ts";
import { ADOPT_SHEET, call, MATCHES_OF, ROOTS_OF, SHOWN_FOR } from "../in-page.ts";

/** A screenshot that shows what should be covered is worse than none, so the render fails beyond these limits. */
const MATCHES_MAX = 5_000;
const MASK_MAX_MS = 5_000;

/** What the function in the page returns. It has covered nothing unless this is `covered`. */
type Outcome = "covered" | "invalid" | "too-many";

/** Generated content can be outside its element's box, and cannot be measured. */
const HIDE_GENERATED =
  "[snap-masked]::before, [snap-masked]::after { visibility: hidden !important; transition: none !important }";

/**
 * Defines a function that returns the elements to cover for a match, in the order of the flat tree: the match itself if
 * it has a visible box, and what is visible in it but outside this box. Text there is wrapped in an element to which
 * the page's rules do not apply. All elements get an attribute that hides their generated content.
 *
 * `cover` is the box of an enclosing element that is already covered.
 */
const VISIBLE_PARTS = `
  const childrenOf = (element) => {
    const assigned = element.localName === "slot" ? element.assignedNodes() : [];
    return assigned.length > 0 ? assigned : [...(shadowRootOf(element) ?? element).childNodes];
  };
  const isWithin = ({ left, top, right, bottom }, box) =>
    left > box.left - 1 && top > box.top - 1 && right < box.right + 1 && bottom < box.bottom + 1;
  const isTextWithin = (text, box) => {
    const range = document.createRange();
    range.selectNode(text);
    // letters can be taller than their lines
    return [...range.getClientRects()].every(({ left, right, top, bottom }) =>
      isWithin({ left, right, top: (top + bottom) / 2, bottom: (top + bottom) / 2 }, box));
  };
  const visibleParts = (element, cover) => {
    element.setAttribute("snap-masked", "");
    const { display, visibility, position } = getComputedStyle(element);
    const isVisible = visibility === "visible";
    // what clips the covered element need not clip this one
    let around = /absolute|fixed/.test(position) ? undefined : cover;
    const parts = [];
    if (display !== "contents") {
      if (!element.checkVisibility()) return [];
      const box = element.getBoundingClientRect();
      if (isVisible && box.width > 0 && box.height > 0 && !(around && isWithin(box, around))) {
        parts.push(element);
        around = box;
      }
    }
    for (const child of childrenOf(element)) {
      if (child instanceof Element) for (const part of visibleParts(child, around)) parts.push(part);
      else if (isVisible && child instanceof Text && child.data.trim() !== "" && !(around && isTextWithin(child, around))) {
        const box = create("snap-text");
        box.style.setProperty("all", "unset", "important");
        child.replaceWith(box);
        box.append(child);
        parts.push(box);
      }
    }
    return parts;
  };`;

/**
 * The boxes are in the top layer, where no element of the page clips or covers them and they do not affect its layout.
 * An observer reports the visible part of each match, so matches that a container hides do not enlarge the page. The
 * function first scrolls as the measurement of the captured area does, because that would move the matches.
 */
const COVER = `async ({ selector, color, captured, scroll }) => {
  ${ROOTS_OF} ${MATCHES_OF} ${SHOWN_FOR} ${ADOPT_SHEET} ${REVEAL} ${SCROLL_TO_TOP}
  const create = (name) => document.createElementNS("http://www.w3.org/1999/xhtml", name); ${VISIBLE_PARTS}
  const roots = rootsOf(document);
  const matches = matchesOf(roots, selector);
  if (matches === null) return "invalid";
  // an invalid selector is reported when the element is measured
  const [element] = (captured === null ? null : matchesOf([document], captured)) ?? [];
  if (element !== undefined) reveal(shownFor(element));
  await scrollToTop(scroll);
  for (const animation of roots.flatMap((root) => root.getAnimations())) animation.pause();
  const visible = new Set(matches.flatMap((match) => visibleParts(shownFor(match))));
  adoptSheet(roots, ${JSON.stringify(HIDE_GENERATED)});
  if (visible.size === 0) return "covered";
  const entries = await new Promise((resolve) => {
    const observer = new IntersectionObserver(resolve, { rootMargin: "1000000px" });
    for (const element of visible) observer.observe(element);
  });
  // a container can clip any number of elements
  const shown = entries.filter(({ intersectionRect: { width, height } }) => width > 0 && height > 0);
  if (shown.length > ${MATCHES_MAX}) return "too-many";
  const place = "all: initial; position: absolute; top: 0; left: 0; width: 0; height: 0; display: block; overflow: visible";
  const host = create("snap-masks");
  host.popover = "manual";
  host.style.cssText = place.replace(/;|$/g, " !important;");
  // positions are measured after the zoom of the root element, which also applies to the boxes
  host.style.setProperty("zoom", String(1 / document.documentElement.currentCSSZoom), "important");
  const boxes = host.attachShadow({ mode: "closed" });
  const boxSheet = new CSSStyleSheet();
  boxSheet.replaceSync("div {" + place + "; forced-color-adjust: none }");
  boxSheet.cssRules[0].style.setProperty("background", color);
  boxes.adoptedStyleSheets = [boxSheet];
  for (const { target, boundingClientRect: all, intersectionRect: part } of shown) {
    // the observer rounds its rectangles
    const isWhole = part.width > all.width - 1 && part.height > all.height - 1;
    const { left, top, right, bottom } = isWhole ? target.getBoundingClientRect() : part;
    const [x, y] = [Math.floor(left), Math.floor(top)];
    const box = create("div");
    box.style.left = x + scrollX + "px";
    box.style.top = y + scrollY + "px";
    box.style.width = Math.ceil(right) - x + "px";
    box.style.height = Math.ceil(bottom) - y + "px";
    boxes.append(box);
  }
  adoptSheet([document], "snap-masks::backdrop { display: none !important }");
  document.documentElement.append(host);
  host.showPopover();
  return "covered";
}`;

/**
 * `mask`: covers every visible match in the main frame, including its open shadow roots, with boxes. Stops the page's
 * view transitions, scripts and animations first, which could move the matches, or remove or hide the boxes. Resolves
 * with the id of the masked document, for `requireMask`; `null` without `mask`.
 *
 * @throws SnapError `render_failed` if the selector is invalid or has too many matches;
 * `render_timeout` if the page does not paint in time.
 */
export async function mask(
  tab: Tab,
  parameters: ScreenshotParameters,
  signal: AbortSignal,
): Promise<string | null> {
  if (parameters.mask === undefined) return null;
  const { mask: selector, maskColor = DEFAULT_MASK_COLOR } = parameters;
  const captured = parameters.selector ?? null;
  const request = { selector, color: maskColor, captured, scroll: scrollRequest(parameters) };
  // before the scripts stop, because they make the changes that transitions show
  await endTransitions(tab, signal);
  await abortable(signal, disableScripts(tab.session));
  const { documentId } = tab.progress;
  const reason = (): SnapError =>
    new SnapError("render_timeout", `The mask was not in place within ${MASK_MAX_MS} ms.`);
  const outcome = await withTimeout({ signal, durationMs: MASK_MAX_MS, reason }, (stepSignal) =>
    evaluate<Outcome>(tab, call(COVER, request), stepSignal),
  );
  if (outcome === "invalid") throw invalidSelector(selector);
  if (outcome === "too-many") throw tooMany(selector);
  return documentId;
}

/**
 * @throws SnapError `render_failed` if another document has replaced the masked one: a refresh needs no script, and a
 * navigation may have been in flight.
 */
export function requireMask({ progress }: Tab, maskedDocumentId: string | null): void {
  if (maskedDocumentId !== null && progress.documentId !== maskedDocumentId)
    throw new SnapError(
      "render_failed",
      "The page navigated after its elements were masked. Send the URL that it leads to.",
    );
}

function tooMany(selector: string): SnapError {
  const message = `The mask selector ${selector} matches more than ${MATCHES_MAX} visible elements. Mask an element that contains them.`;
  return new SnapError("render_failed", message, { notes: [CAPTURE_TOO_LARGE] });
}
