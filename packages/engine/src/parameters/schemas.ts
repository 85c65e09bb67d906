import { checkRules, DEFAULT_VIEWPORT, LIMITS, PARAMETERS, type Mode } from "@snap/protocol";
import * as z from "zod";
import { choice, cssSelector, decimal, flag, integer, modeFlag, targetUrl } from "./fields.ts";

/*
 * The parameter table with descriptions and examples: validation, cache key and the descriptions of
 * the API are read from here.
 */

const { screenshot, pdf } = PARAMETERS;

/** A schema for every parameter of the table, and for nothing else. */
type Shape<M extends Mode> = Record<keyof (typeof PARAMETERS)[M], z.ZodType>;

/** One answer names every fault: the rules between fields run where single fields have failed, too. */
const EVEN_AFTER_FAULTS = { when: () => true };

function rulesOf(mode: Mode): (values: object, context: z.core.$RefinementCtx) => void {
  return (values, context) => {
    checkRules(mode, { ...values }, (name, message) => {
      context.addIssue({ code: "custom", path: [name], message });
    });
  };
}

const inBothModes = {
  url: targetUrl(screenshot.url, {
    description:
      "Address of the page to render; a publicly reachable host. Private, loopback and internal addresses are refused.",
    example: "https://example.com/",
  }),
  cache: flag(screenshot.cache, {
    description:
      "Whether an identical repeat may be answered from the cache and this rendering is kept; `false` renders again.",
    example: true,
  }),
  cacheTtl: integer(screenshot.cacheTtl, {
    description: `Seconds for which the rendering is kept; ${LIMITS.cacheTtlDefaultSeconds} unless sent. Not together with \`cache\` false.`,
    example: 3600,
  }).optional(),
};

const clipNote = "The four clip parameters go together, without `selector` and `fullPage`.";

export const screenshotParameters = z
  .strictObject({
    ...inBothModes,
    pdf: modeFlag(screenshot.pdf, {
      description: "`true` renders a PDF instead of an image.",
      example: false,
    }).default(screenshot.pdf.default),
    fullPage: flag(screenshot.fullPage, {
      description: "Capture the whole scrollable page; not with `selector` or a clip region.",
      example: true,
    }),
    format: choice(screenshot.format, { description: "Format of the image.", example: "webp" }).default(
      screenshot.format.default,
    ),
    quality: integer(screenshot.quality, {
      description: "Quality of a lossy image; only with `format` jpeg or webp.",
      example: 80,
    }).optional(),
    width: decimal(screenshot.width, {
      description: `Viewport width in pixels, together with \`height\`; ${DEFAULT_VIEWPORT.width} unless sent.`,
      example: DEFAULT_VIEWPORT.width,
    }).optional(),
    height: decimal(screenshot.height, {
      description: `Viewport height in pixels, together with \`width\`; ${DEFAULT_VIEWPORT.height} unless sent.`,
      example: DEFAULT_VIEWPORT.height,
    }).optional(),
    scale: integer(screenshot.scale, { description: "Device scale factor.", example: 2 }).default(
      screenshot.scale.default,
    ),
    delay: integer(screenshot.delay, {
      description: "Milliseconds to wait before the capture.",
      example: 500,
    }).optional(),
    selector: cssSelector(screenshot.selector, {
      description:
        "CSS selector; its first match is captured. Not with a clip region or `fullPage`. Write attribute values with double quotes.",
      example: "main",
    }).optional(),
    clipX: integer(screenshot.clipX, {
      description: `Pixels from the left edge. ${clipNote}`,
      example: 0,
    }).optional(),
    clipY: integer(screenshot.clipY, {
      description: `Pixels from the top edge. ${clipNote}`,
      example: 0,
    }).optional(),
    clipWidth: integer(screenshot.clipWidth, {
      description: `Width in pixels. ${clipNote}`,
      example: 400,
    }).optional(),
    clipHeight: integer(screenshot.clipHeight, {
      description: `Height in pixels. ${clipNote}`,
      example: 400,
    }).optional(),
    omitBackground: flag(screenshot.omitBackground, {
      description: "Transparent background; only with `format` png or webp.",
      example: true,
    }),
    waitForSelector: cssSelector(screenshot.waitForSelector, {
      description: "CSS selector; the capture waits until a matching element exists.",
      example: "#ready",
    }).optional(),
    waitUntil: choice(screenshot.waitUntil, {
      description:
        "What to wait for before the capture. Unless sent it is `networkidle2`, and a page that never gets idle is captured 10 seconds after `load`.",
      example: "load",
    }).optional(),
  } satisfies Shape<"screenshot">)
  .superRefine(rulesOf("screenshot"), EVEN_AFTER_FAULTS);

const marginNote = "in `marginUnit`; the four margins go together.";

export const pdfParameters = z
  .strictObject({
    ...inBothModes,
    pdf: modeFlag(pdf.pdf, { description: "`true` renders a PDF.", example: true }),
    landscape: flag(pdf.landscape, { description: "Landscape orientation.", example: true }),
    paperFormat: choice(pdf.paperFormat, { description: "Paper size.", example: "letter" }).default(
      pdf.paperFormat.default,
    ),
    width: decimal(pdf.width, {
      description: "Paper width in `marginUnit`, together with `height`; overrides `paperFormat`.",
      example: 210,
    }).optional(),
    height: decimal(pdf.height, {
      description: "Paper height in `marginUnit`, together with `width`; overrides `paperFormat`.",
      example: 297,
    }).optional(),
    marginTop: decimal(pdf.marginTop, { description: `Top margin ${marginNote}`, example: 10 }).optional(),
    marginRight: decimal(pdf.marginRight, {
      description: `Right margin ${marginNote}`,
      example: 10,
    }).optional(),
    marginBottom: decimal(pdf.marginBottom, {
      description: `Bottom margin ${marginNote}`,
      example: 10,
    }).optional(),
    marginLeft: decimal(pdf.marginLeft, { description: `Left margin ${marginNote}`, example: 10 }).optional(),
    marginUnit: choice(pdf.marginUnit, {
      description: "Unit of the margins and of a custom paper size.",
      example: "in",
    }).default(pdf.marginUnit.default),
    scale: decimal(pdf.scale, { description: "Scale of the content.", example: 0.8 }).default(
      pdf.scale.default,
    ),
  } satisfies Shape<"pdf">)
  .superRefine(rulesOf("pdf"), EVEN_AFTER_FAULTS);

export type ScreenshotParameters = z.output<typeof screenshotParameters>;
export type PdfParameters = z.output<typeof pdfParameters>;

/** Parameters after validation, defaults filled in; `pdf` tells the mode. */
export type SnapParameters = ScreenshotParameters | PdfParameters;
export type SnapParametersInput = z.input<typeof screenshotParameters> | z.input<typeof pdfParameters>;
