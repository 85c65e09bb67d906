import type { PdfParameters } from "@snap/protocol";
import type { Protocol } from "puppeteer";
import { SnapError } from "../../../errors.ts";
import { CAPTURE_TOO_LARGE } from "../../../ports/renderer.ts";
import type { ByteCollector } from "../../browser/byte-collector.ts";
import { viewportOf, type Viewport } from "../configure/viewport.ts";
import type { Tab } from "../tab.ts";
import { changeViewport, freezeLengths } from "../viewport-lengths.ts";
import { measureContent, removeBreaks } from "./fit-single-page.ts";
import { countPages } from "./pdf-structure.ts";
import { printLayoutOf, toInches } from "./print-layout.ts";

const POINTS_PER_INCH = 72;
/** The largest side of a page that readers support (ISO 32000-1, annex C). */
const PAGE_MAX_POINTS = 14_400;

/**
 * A page can grow between the measurement and the print, and its print layout can be slightly taller, usually by less
 * than a pixel, because the measured height is rounded.
 */
const PRINTS_MAX = 5;
const FIRST_GROWTH_PIXELS = 1;
const GROWTH = { factor: 1.02, pixels: 16 } as const;

/** Chromium lays out wide content for a wider page, up to this factor, and shrinks it to fit. */
const SHRINK_MAX = 1.5;

export interface SinglePagePrint {
  readonly parameters: PdfParameters;
  /** Prints with these values instead of the parameters'. */
  readonly print: (values: Partial<Protocol.Page.PrintToPDFRequest>) => Promise<ByteCollector>;
}

/**
 * Prints the whole page on one sheet of the paper's width. The page was loaded in a viewport as
 * wide as the area within the margins.
 *
 * @throws SnapError `render_failed` if the page would be too long, or never fits on one page.
 * @throws MalformedPdf if the browser's file cannot be read.
 */
export async function printSinglePage(
  tab: Tab,
  { parameters, print }: SinglePagePrint,
  signal: AbortSignal,
): Promise<ByteCollector> {
  const layout = printLayoutOf(parameters);
  const { marginTop: top, marginRight: right, marginBottom: bottom, marginLeft: left } = layout;
  await removeBreaks(tab, [`${top}in`, `${right}in`, `${bottom}in`, `${left}in`], signal);
  const viewport = viewportOf(parameters);
  let atLeast = 0;
  for (let prints = 1; prints <= PRINTS_MAX; prints += 1) {
    const height = Math.max(await measureHeightOnPaper(tab, parameters, signal), atLeast);
    // on paper shorter than the viewport, lengths such as `vh` would shrink, and the end of the page would be blank
    const isShort = prints === 1 && height < viewport.height;
    if (isShort) await freezeViewportLengths(tab, viewport, signal);
    const paperHeight = toInches(Math.ceil(height), parameters) + top + bottom;
    requirePossibleHeight(paperHeight * POINTS_PER_INCH);
    const file = await print({ paperHeight });
    if (countPages(file.view()) === 1) return file;
    const hasFrozen = prints === 1 && !isShort && (await freezeViewportLengths(tab, viewport, signal));
    if (hasFrozen) continue;
    atLeast = atLeast === 0 ? height + FIRST_GROWTH_PIXELS : height * GROWTH.factor + GROWTH.pixels;
  }
  throw new SnapError(
    "render_failed",
    "The page does not fit on one page, because its length depends on the paper's length. Leave out singlePage.",
  );
}

/** Returns the height of the content in CSS pixels, as Chromium lays it out for print. */
async function measureHeightOnPaper(
  tab: Tab,
  parameters: PdfParameters,
  signal: AbortSignal,
): Promise<number> {
  const viewport = viewportOf(parameters);
  const { width, height, printedHeight } = await measureContent(tab, signal);
  const extraHeight = Math.max(0, printedHeight - height);
  if (width <= viewport.width) return height + extraHeight;
  // the viewport was rounded down
  const shrink = Math.min(width / (viewport.width + 1), SHRINK_MAX);
  await changeViewport(tab, { ...viewport, width: Math.round(viewport.width * shrink) }, signal);
  const content = await measureContent(tab, signal);
  await changeViewport(tab, viewport, signal);
  return (content.height + extraHeight) / shrink;
}

/**
 * Freezes lengths such as `vh`, which are relative to the paper: a page taller than the paper would need even taller
 * paper. Returns whether the page has such lengths.
 */
function freezeViewportLengths(tab: Tab, final: Viewport, signal: AbortSignal): Promise<boolean> {
  const other = { ...final, height: final.height * 2 };
  return freezeLengths(tab, { final, other, pinsFixedElements: false }, signal);
}

function requirePossibleHeight(points: number): void {
  if (points <= PAGE_MAX_POINTS) return;
  const length = `${Math.ceil(points).toLocaleString("en-US")} pt`;
  throw new SnapError(
    "render_failed",
    `The page is ${length} long; a PDF page can be at most 14,400 pt (200 in) long. Send a smaller scale, or leave out singlePage.`,
    { notes: [CAPTURE_TOO_LARGE] },
  );
}
