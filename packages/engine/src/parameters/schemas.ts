import { LIMITS } from "@snap/protocol";
import * as z from "zod";
import { choice, cssSelector, decimal, flag, integer, pixels, targetUrl } from "./fields.ts";
import { checkPdf, checkScreenshot } from "./rules.ts";

/** The one definition of each mode: validation, cache key and descriptions are read from here. */

const IMAGE_FORMATS = ["png", "jpeg", "webp"] as const;
const WAIT_EVENTS = ["load", "domcontentloaded", "networkidle0", "networkidle2"] as const;
const LENGTH_UNITS = ["mm", "cm", "in", "px"] as const;
const PAPER_FORMATS = [
  "letter",
  "legal",
  "tabloid",
  "ledger",
  "a0",
  "a1",
  "a2",
  "a3",
  "a4",
  "a5",
  "a6",
] as const;

const inBothModes = {
  url: targetUrl({
    description:
      "Address of the page to render; a publicly reachable host. Private, loopback and internal addresses are refused.",
    example: "https://example.com/",
  }),
  cache: flag({
    description:
      "Whether an identical repeat may be answered from the cache and this rendering is kept; `cache=0` renders again.",
    example: true,
  }).default(true),
  cacheTtl: integer({
    min: LIMITS.cacheTtlMinSeconds,
    max: LIMITS.cacheTtlMaxSeconds,
    description: `Seconds for which the rendering is kept; ${LIMITS.cacheTtlDefaultSeconds} unless sent. Not together with \`cache=0\`.`,
    example: 3600,
  }).optional(),
};

const clipEdge = { min: 0, max: 10_000, example: 0 };
const clipSide = { min: 1, max: 10_000, example: 400 };
const clipNote = "The four clip parameters go together, without `selector` and `fullPage`.";

export const screenshotParameters = z
  .strictObject({
    ...inBothModes,
    pdf: z
      .literal(false, { error: "must be true, false, 1 or 0" })
      .default(false)
      .meta({ description: "`true` renders a PDF instead of an image.", example: false }),
    fullPage: flag({
      description: "Capture the whole scrollable page; not with `selector` or a clip region.",
      example: true,
    }).default(false),
    format: choice(IMAGE_FORMATS, { description: "Format of the image.", example: "webp" }).default("png"),
    quality: integer({
      min: 1,
      max: 100,
      description: "Quality of a lossy image; only with `format` jpeg or webp.",
      example: 80,
    }).optional(),
    width: pixels({
      min: 1,
      max: 10_000,
      description: "Viewport width in pixels, together with `height`; 1280 unless sent.",
      example: 1280,
    }).optional(),
    height: pixels({
      min: 1,
      max: 10_000,
      description: "Viewport height in pixels, together with `width`; 800 unless sent.",
      example: 800,
    }).optional(),
    scale: integer({ min: 1, max: 3, description: "Device scale factor.", example: 2 }).default(1),
    delay: integer({
      min: 0,
      max: 10_000,
      description: "Milliseconds to wait before the capture.",
      example: 500,
    }).optional(),
    selector: cssSelector({
      description:
        "CSS selector; its first match is captured. Not with a clip region or `fullPage`. Write attribute values with double quotes.",
      example: "main",
    }).optional(),
    clipX: integer({ ...clipEdge, description: `Pixels from the left edge. ${clipNote}` }).optional(),
    clipY: integer({ ...clipEdge, description: `Pixels from the top edge. ${clipNote}` }).optional(),
    clipWidth: integer({ ...clipSide, description: `Width in pixels. ${clipNote}` }).optional(),
    clipHeight: integer({ ...clipSide, description: `Height in pixels. ${clipNote}` }).optional(),
    omitBackground: flag({
      description: "Transparent background; only with `format` png or webp.",
      example: true,
    }).default(false),
    waitForSelector: cssSelector({
      description: "CSS selector; the capture waits until a matching element exists.",
      example: "#ready",
    }).optional(),
    waitUntil: choice(WAIT_EVENTS, {
      description:
        "What to wait for before the capture. Unless sent it is `networkidle2`, and a page that never gets idle is captured 10 seconds after `load`.",
      example: "load",
    }).optional(),
  })
  .superRefine(checkScreenshot, { when: () => true });

const margin = { min: 0, max: 1000, example: 10 };
const marginNote = "in `marginUnit`; the four margins go together.";

export const pdfParameters = z
  .strictObject({
    ...inBothModes,
    pdf: z.literal(true).meta({ description: "`true` renders a PDF.", example: true }),
    landscape: flag({ description: "Landscape orientation.", example: true }).default(false),
    paperFormat: choice(PAPER_FORMATS, { description: "Paper size.", example: "letter" }).default("a4"),
    width: decimal({
      min: 1,
      max: 10_000,
      description: "Paper width in `marginUnit`, together with `height`; overrides `paperFormat`.",
      example: 210,
    }).optional(),
    height: decimal({
      min: 1,
      max: 10_000,
      description: "Paper height in `marginUnit`, together with `width`; overrides `paperFormat`.",
      example: 297,
    }).optional(),
    marginTop: decimal({ ...margin, description: `Top margin ${marginNote}` }).optional(),
    marginRight: decimal({ ...margin, description: `Right margin ${marginNote}` }).optional(),
    marginBottom: decimal({ ...margin, description: `Bottom margin ${marginNote}` }).optional(),
    marginLeft: decimal({ ...margin, description: `Left margin ${marginNote}` }).optional(),
    marginUnit: choice(LENGTH_UNITS, {
      description: "Unit of the margins and of a custom paper size.",
      example: "in",
    }).default("mm"),
    scale: decimal({ min: 0.1, max: 2, description: "Scale of the content.", example: 0.8 }).default(1),
  })
  .superRefine(checkPdf, { when: () => true });

export type ScreenshotParameters = z.output<typeof screenshotParameters>;
export type PdfParameters = z.output<typeof pdfParameters>;

/** Parameters after validation, defaults filled in; `pdf` tells the mode. */
export type SnapParameters = ScreenshotParameters | PdfParameters;
export type SnapParametersInput = z.input<typeof screenshotParameters> | z.input<typeof pdfParameters>;
