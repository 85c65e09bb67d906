import type { ScreenshotParameters } from "@snap/protocol";
import { unless } from "../../timeouts.ts";
import { SnapError } from "../../errors.ts";
import { evaluate } from "./evaluate.ts";
import type { Tab } from "./tab.ts";

/** In CSS pixels of the page, from its top left corner. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Measured {
  /** What to capture; `null` is the viewport as it is. */
  readonly area: Area | null;
  /** What the document shown was answered with; `null` when not known. */
  readonly targetStatus: number | null;
}

/*
 * A selector is plain CSS here: puppeteer's own methods would read `text/`, `xpath/` and `>>>` into it.
 * An element may be out of sight in a scrolled box. The page itself stays where it is, or a fixed footer
 * would lie over the element.
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

interface Answer {
  readonly status: number;
  readonly fault?: "invalid" | "unmatched";
  readonly edges?: Edges;
}

/**
 * Measures the page, once: what it does afterwards changes nothing.
 *
 * @throws SnapError `render_failed` when the selector has nothing to capture
 */
export async function measure(
  tab: Tab,
  parameters: ScreenshotParameters,
  signal: AbortSignal,
): Promise<Measured> {
  const { selector, fullPage } = parameters;
  const [answer, page] = await Promise.all([
    evaluate<Answer>(tab, `(${MEASURE})(${JSON.stringify(selector ?? null)})`, signal),
    fullPage ? measurePage(tab, signal) : null,
  ]);
  const area = selector === undefined ? (page ?? clipOf(parameters)) : elementArea(selector, answer);
  return { area, targetStatus: answer.status === 0 ? null : answer.status };
}

export function reachesBeyondViewport({ fullPage, selector, clipX }: ScreenshotParameters): boolean {
  return fullPage || selector !== undefined || clipX !== undefined;
}

async function measurePage({ session }: Tab, signal: AbortSignal): Promise<Area> {
  const { cssContentSize } = await unless(signal, session.send("Page.getLayoutMetrics"));
  return { x: 0, y: 0, width: Math.ceil(cssContentSize.width), height: Math.ceil(cssContentSize.height) };
}

function clipOf({ clipX, clipY, clipWidth, clipHeight }: ScreenshotParameters): Area | null {
  if (clipX === undefined || clipY === undefined || clipWidth === undefined || clipHeight === undefined)
    return null;
  return { x: clipX, y: clipY, width: clipWidth, height: clipHeight };
}

function elementArea(selector: string, { fault, edges }: Answer): Area {
  if (fault === "invalid") throw invalidSelector(selector);
  if (!edges) throw failed(`The selector ${selector} matches no element on the page.`);
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
