import type { ScreenshotParameters } from "@snap/protocol";
import { abortable } from "../../timeouts.ts";
import { SnapError } from "../../errors.ts";
import { SELECTOR_UNMATCHED } from "../../ports/renderer.ts";
import { evaluate } from "./evaluate.ts";
import type { Tab } from "./tab.ts";

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
}

/*
 * Selectors are plain CSS: Puppeteer's own methods would also parse `text/`, `xpath/` and `>>>`. The element may need
 * scrolling within a container, but the page's scroll position must not change, or a fixed footer could cover it.
 */
const MEASURE = `(selector) => {
  const [navigation] = performance.getEntriesByType("navigation");
  const status = navigation?.responseStatus ?? 0;
  if (selector === null) return { status };
  let element;
  try {
    element = document.querySelector(selector);
  } catch {
    return { status, fault: "invalid" };
  }
  if (element === null) return { status, fault: "unmatched" };
  const [left, top] = [scrollX, scrollY];
  element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  scrollTo({ left, top, behavior: "instant" });
  const box = element.getBoundingClientRect();
  const edges = { left: box.left + left, top: box.top + top, right: box.right + left, bottom: box.bottom + top };
  return { status, edges };
}`;

interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface MeasureResult {
  readonly status: number;
  readonly fault?: "invalid" | "unmatched";
  readonly edges?: Edges;
}

/**
 * Measures the area to capture once; later changes of the page do not affect it.
 *
 * @throws SnapError `render_failed` if the selector is invalid, matches nothing, or matches an element without area.
 */
export async function measure(
  tab: Tab,
  parameters: ScreenshotParameters,
  signal: AbortSignal,
): Promise<Measurement> {
  const { selector, fullPage } = parameters;
  const [result, page] = await Promise.all([
    evaluate<MeasureResult>(tab, `(${MEASURE})(${JSON.stringify(selector ?? null)})`, signal),
    fullPage ? measurePage(tab, signal) : null,
  ]);
  const area = selector === undefined ? (page ?? clipOf(parameters)) : elementArea(selector, result);
  return { area, targetStatus: result.status === 0 ? null : result.status };
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

function elementArea(selector: string, { fault, edges }: MeasureResult): Area {
  if (fault === "invalid") throw invalidSelector(selector);
  if (!edges)
    throw new SnapError("render_failed", `The selector ${selector} matches no element on the page.`, {
      notes: [SELECTOR_UNMATCHED],
    });
  const area = {
    x: Math.floor(edges.left),
    y: Math.floor(edges.top),
    width: Math.ceil(edges.right) - Math.floor(edges.left),
    height: Math.ceil(edges.bottom) - Math.floor(edges.top),
  };
  if (area.width > 0 && area.height > 0) return area;
  throw failed(`The element matched by the selector ${selector} has no area to capture.`);
}

export function invalidSelector(selector: string): SnapError {
  return failed(`The selector ${selector} is not valid CSS.`);
}

function failed(message: string): SnapError {
  return new SnapError("render_failed", message);
}
