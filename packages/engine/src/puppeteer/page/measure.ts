import type { ScreenshotParameters } from "@snap/protocol";
import { abortable } from "../../timeouts.ts";
import { SnapError } from "../../errors.ts";
import { HEIGHT_CAPPED, SELECTOR_UNMATCHED } from "../../ports/renderer.ts";
import { evaluate } from "./evaluate.ts";
import { call, FLOWS_LEFT, NEXT_FRAME, SHOWN_FOR } from "./in-page.ts";
import { TITLE } from "./page-facts.ts";
import type { Tab } from "./tab.ts";

/** An expression to evaluate in the page: the number of images in the document that could not be loaded. */
export const FAILED_IMAGES = `[...document.querySelectorAll("img")]
  .filter((image) => image.complete && image.naturalWidth === 0 && image.currentSrc !== "").length`;

/** A rectangle in CSS pixels, relative to the top left corner of the page. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Measurement {
  /** The area to capture; `null` is the viewport. */
  readonly area: Area | null;
  /** HTTP status of the document; `null` if unknown. */
  readonly targetStatus: number | null;
  /** Title of the document; empty if it has none. */
  readonly title: string;
  /** Remarks for the caller. */
  readonly notes: readonly string[];
}

/**
 * Defines a function that scrolls an element into view within its containers. The page's own scroll position must not
 * change, or a fixed footer could cover the element.
 */
export const REVEAL = `const reveal = (element) => {
  const [left, top] = [scrollX, scrollY];
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  scrollTo({ left, top, behavior: "instant" });
};`;

/** How many frames in a row a page must stay at its top if its URL has a fragment, and how many to wait for at most. */
const TOP_FRAMES = 3;
const TOP_FRAMES_MAX = 30;
/** A page can delay its frames for as long as it likes. */
const TOP_FRAME_MAX_MS = 100;

/** Defines a function that returns whether the browser may scroll to a fragment, given the value of `hasFragment`. */
export const MAY_SCROLL_TO_FRAGMENT = `const mayScrollToFragment = (hasFragment) => hasFragment || location.hash !== "";`;

/**
 * Defines a function that scrolls the page to its top, for a full page, and for a part of a page whose URL has a fragment.
 * Fixed and sticky elements would otherwise be drawn at the fragment, which the browser may only be about to scroll to.
 */
export const SCROLL_TO_TOP = `const scrollToTop = async ({ captures, hasFragment }) => {
  ${NEXT_FRAME} ${MAY_SCROLL_TO_FRAGMENT}
  if (captures === "viewport" || (captures === "part" && !mayScrollToFragment(hasFragment))) return;
  const goToTop = () => scrollTo({ left: 0, top: 0, behavior: "instant" });
  goToTop();
  if (!mayScrollToFragment(hasFragment)) return;
  for (let frames = 0, still = 0; frames < ${TOP_FRAMES_MAX} && still < ${TOP_FRAMES}; frames += 1) {
    await Promise.race([nextFrame(), new Promise((resolve) => setTimeout(resolve, ${TOP_FRAME_MAX_MS}))]);
    still = scrollY === 0 ? still + 1 : 0;
    goToTop();
  }
};`;

/** The argument of the function that scrolls to the top. */
export function scrollRequest(parameters: ScreenshotParameters): {
  readonly captures: "page" | "part" | "viewport";
  readonly hasFragment: boolean;
} {
  const part = reachesBeyondViewport(parameters) ? "part" : "viewport";
  return { captures: parameters.fullPage ? "page" : part, hasFragment: hasFragment(parameters) };
}

/** Returns whether the URL has a fragment. The page itself cannot see a text fragment (`#:~:text=`). */
export function hasFragment({ url }: Pick<ScreenshotParameters, "url">): boolean {
  return url.includes("#");
}

/** Selectors are plain CSS: Puppeteer's own methods would also parse `text/`, `xpath/` and `>>>`. */
const MEASURE = `async ({ selector, scroll }) => {
  ${REVEAL} ${SCROLL_TO_TOP} ${FLOWS_LEFT} ${SHOWN_FOR}
  await scrollToTop(scroll);
  const [navigation] = performance.getEntriesByType("navigation");
  const status = navigation?.responseStatus ?? 0;
  const page = { status, title: ${TITLE}, failedImages: ${FAILED_IMAGES} };
  if (selector === null) return page;
  let element;
  try {
    element = document.querySelector(selector);
  } catch {
    return { ...page, problem: "invalid" };
  }
  if (element === null) return { ...page, problem: "unmatched" };
  const shown = shownFor(element);
  reveal(shown);
  const { left, top, right, bottom } = shown.getBoundingClientRect();
  // in a page that overflows to the left, scrollX is 0 at its right end
  const { scrollWidth, clientWidth } = document.scrollingElement ?? document.documentElement;
  const pageX = scrollX + (flowsLeft() ? scrollWidth - clientWidth : 0);
  const edges = { left: left + pageX, top: top + scrollY, right: right + pageX, bottom: bottom + scrollY };
  return { ...page, edges };
}`;

interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface MeasureResult {
  readonly status: number;
  readonly title: string;
  /** Images in the document that could not be loaded. */
  readonly failedImages: number;
  readonly problem?: "invalid" | "unmatched";
  readonly edges?: Edges;
}

/**
 * Measures the area to capture; later changes to the page do not affect it.
 *
 * @throws SnapError `render_failed` if the selector is invalid, matches nothing, or matches an element without an area.
 */
export async function measure(
  tab: Tab,
  parameters: ScreenshotParameters,
  signal: AbortSignal,
): Promise<Measurement> {
  const { selector, fullPage, padding = 0, fullPageMaxHeight = Infinity } = parameters;
  const request = { selector: selector ?? null, scroll: scrollRequest(parameters) };
  const result = await evaluate<MeasureResult>(tab, call(MEASURE, request), signal);
  // afterwards, because a page can have a different height when it is scrolled to its top
  const page = fullPage || padding > 0 ? await measurePage(tab, signal) : null;
  const notes = imageNotes(result.failedImages);
  const { title } = result;
  const targetStatus = result.status === 0 ? null : result.status;
  if (selector !== undefined) {
    const element = elementArea(selector, result);
    return {
      area: page === null ? element : addPadding(element, { padding, page }),
      targetStatus,
      title,
      notes,
    };
  }
  if (page === null || page.height <= fullPageMaxHeight)
    return { area: page ?? clipOf(parameters), targetStatus, title, notes };
  const area = { ...page, height: fullPageMaxHeight };
  return { area, targetStatus, title, notes: [...notes, HEIGHT_CAPPED] };
}

export function imageNotes(failedImages: number): string[] {
  return failedImages > 0 ? [`images-failed=${failedImages}`] : [];
}

/** Adds space around an area, up to the edges of the page. */
function addPadding(area: Area, { padding, page }: { readonly padding: number; readonly page: Area }): Area {
  const [left, top] = [
    Math.max(area.x - padding, Math.min(area.x, 0)),
    Math.max(area.y - padding, Math.min(area.y, 0)),
  ];
  const right = Math.min(area.x + area.width + padding, Math.max(page.width, area.x + area.width));
  const bottom = Math.min(area.y + area.height + padding, Math.max(page.height, area.y + area.height));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

export function reachesBeyondViewport({ fullPage, selector, clipX }: ScreenshotParameters): boolean {
  return fullPage || selector !== undefined || clipX !== undefined;
}

async function measurePage({ session }: Tab, signal: AbortSignal): Promise<Area> {
  const { cssContentSize } = await abortable(signal, session.send("Page.getLayoutMetrics"));
  return { x: 0, y: 0, width: Math.ceil(cssContentSize.width), height: Math.ceil(cssContentSize.height) };
}

function clipOf({ clipX, clipY, clipWidth, clipHeight }: ScreenshotParameters): Area | null {
  if (clipX === undefined || clipY === undefined || clipWidth === undefined || clipHeight === undefined)
    return null;
  return { x: clipX, y: clipY, width: clipWidth, height: clipHeight };
}

function elementArea(selector: string, { problem, edges }: MeasureResult): Area {
  if (problem === "invalid") throw invalidSelector(selector);
  if (!edges)
    throw new SnapError("render_failed", `The selector ${selector} matches no element on the page.`, {
      notes: [SELECTOR_UNMATCHED],
    });
  const { left, top, right, bottom } = edges;
  if (right <= left || bottom <= top)
    throw new SnapError(
      "render_failed",
      `The element matched by the selector ${selector} has no area to capture.`,
    );
  // Chromium draws a box between the nearest whole pixels; a larger area would show a line of what surrounds it.
  const [x, y] = [Math.round(left), Math.round(top)];
  return {
    x,
    y,
    width: Math.max(Math.round(right) - x, 1),
    height: Math.max(Math.round(bottom) - y, 1),
  };
}

/** The note says that a retry does not help. */
export function invalidSelector(selector: string): SnapError {
  return new SnapError("render_failed", `The selector ${selector} is not valid CSS.`, {
    notes: [SELECTOR_UNMATCHED],
  });
}
