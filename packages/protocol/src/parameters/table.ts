/* oxlint-disable max-lines -- one table of all parameters */
import { LIMITS } from "../limits.ts";
import type { Mode, ParameterRow } from "./row.ts";

const SCREENSHOT: readonly Mode[] = ["screenshot"];
const PDF: readonly Mode[] = ["pdf"];
const BOTH: readonly Mode[] = ["screenshot", "pdf"];

/** Viewport of a screenshot without `width` and `height`, in CSS pixels. */
export const DEFAULT_VIEWPORT = { width: 1280, height: 800 } as const;

/** Wait of a screenshot without `waitUntil`. It is capped, unlike a wait that was requested. */
export const DEFAULT_WAIT = "networkidle2";

const SIZE = ["width", "height"];
const CLIP = ["clipX", "clipY", "clipWidth", "clipHeight"];
const MARGINS = ["marginTop", "marginRight", "marginBottom", "marginLeft"];

const CLIP_REGION = { names: CLIP, called: "a clip region" };
const CLIP_NOTE = "Send all four clip parameters together, without `selector` or `fullPage`.";
const MARGIN_NOTE = "in `marginUnit`; send all four margins together.";

/**
 * Every parameter of a rendering: the one definition that validation, cache keys, OpenAPI, Postman, the Model Context
 * Protocol, the command line, the client's checks and types, and the reference are derived from. Faults are reported
 * in the order of the rows. A new parameter is a row here and a step in the renderer.
 */
export const PARAMETER_TABLE: readonly ParameterRow[] = [
  {
    name: "url",
    modes: BOTH,
    group: "Page",
    kind: "url",
    description:
      "URL of the page to render. The host must be publicly reachable; private, loopback and internal addresses are blocked.",
    example: "https://example.com/",
  },
  {
    name: "pdf",
    modes: BOTH,
    group: "Page",
    kind: "flag",
    default: false,
    description: "`true` renders a PDF instead of an image.",
    example: false,
  },

  {
    name: "width",
    modes: SCREENSHOT,
    group: "Viewport",
    kind: "pixels",
    min: 1,
    max: 10_000,
    together: SIZE,
    description: `Viewport width in pixels; requires \`height\`. ${DEFAULT_VIEWPORT.width} by default.`,
    example: DEFAULT_VIEWPORT.width,
  },
  {
    name: "height",
    modes: SCREENSHOT,
    group: "Viewport",
    kind: "pixels",
    min: 1,
    max: 10_000,
    together: SIZE,
    description: `Viewport height in pixels; requires \`width\`. ${DEFAULT_VIEWPORT.height} by default.`,
    example: DEFAULT_VIEWPORT.height,
  },
  {
    name: "scale",
    modes: SCREENSHOT,
    group: "Viewport",
    kind: "integer",
    min: 1,
    max: 3,
    default: 1,
    description: "Device scale factor.",
    example: 2,
  },

  {
    name: "fullPage",
    modes: SCREENSHOT,
    group: "Region",
    kind: "flag",
    default: false,
    excludes: [CLIP_REGION],
    description: "Capture the whole scrollable page. Cannot be combined with `selector` or a clip region.",
    example: true,
  },
  {
    name: "selector",
    modes: SCREENSHOT,
    group: "Region",
    kind: "selector",
    excludes: [{ names: ["fullPage"], called: "fullPage" }, CLIP_REGION],
    description:
      "CSS selector of the element to capture; the first match is used. Cannot be combined with a clip region or `fullPage`. Use double quotes for attribute values.",
    example: "main",
  },
  {
    name: "clipX",
    modes: SCREENSHOT,
    group: "Region",
    kind: "integer",
    min: 0,
    max: 10_000,
    together: CLIP,
    description: `Left edge of the clip region in pixels. ${CLIP_NOTE}`,
    example: 0,
  },
  {
    name: "clipY",
    modes: SCREENSHOT,
    group: "Region",
    kind: "integer",
    min: 0,
    max: 10_000,
    together: CLIP,
    description: `Top edge of the clip region in pixels. ${CLIP_NOTE}`,
    example: 0,
  },
  {
    name: "clipWidth",
    modes: SCREENSHOT,
    group: "Region",
    kind: "integer",
    min: 1,
    max: 10_000,
    together: CLIP,
    description: `Width of the clip region in pixels. ${CLIP_NOTE}`,
    example: 400,
  },
  {
    name: "clipHeight",
    modes: SCREENSHOT,
    group: "Region",
    kind: "integer",
    min: 1,
    max: 10_000,
    together: CLIP,
    description: `Height of the clip region in pixels. ${CLIP_NOTE}`,
    example: 400,
  },

  {
    name: "format",
    modes: SCREENSHOT,
    group: "Image",
    kind: "choice",
    values: ["png", "jpeg", "webp"],
    default: "png",
    description: "Image format.",
    example: "webp",
  },
  {
    name: "quality",
    modes: SCREENSHOT,
    group: "Image",
    kind: "integer",
    min: 1,
    max: 100,
    needs: {
      name: "format",
      values: ["jpeg", "webp"],
      message: "requires a lossy format: jpeg or webp",
    },
    description: "Quality of a lossy image; requires `format` jpeg or webp.",
    example: 80,
  },
  {
    name: "omitBackground",
    modes: SCREENSHOT,
    group: "Image",
    kind: "flag",
    default: false,
    needs: {
      name: "format",
      values: ["png", "webp"],
      message: "requires a format with transparency: png or webp",
    },
    description: "Transparent background; requires `format` png or webp.",
    example: true,
  },

  {
    name: "waitUntil",
    modes: SCREENSHOT,
    group: "Wait",
    kind: "choice",
    values: ["load", "domcontentloaded", "networkidle0", "networkidle2"],
    implied: DEFAULT_WAIT,
    description: `What to wait for before the capture. \`networkidle0\`: no network connection for half a second; \`networkidle2\`: at most two. By default \`${DEFAULT_WAIT}\`, and a page that never becomes idle is captured ${LIMITS.idleAfterLoadMaxMs / 1000} seconds after \`load\`.`,
    example: "load",
  },
  {
    name: "waitForSelector",
    modes: SCREENSHOT,
    group: "Wait",
    kind: "selector",
    description: "CSS selector; the capture waits for a matching element.",
    example: "#ready",
  },
  {
    name: "delay",
    modes: SCREENSHOT,
    group: "Wait",
    kind: "integer",
    min: 0,
    max: 10_000,
    description: "Milliseconds to wait before the capture.",
    example: 500,
  },

  {
    name: "landscape",
    modes: PDF,
    group: "Paper",
    kind: "flag",
    default: false,
    description: "Landscape orientation.",
    example: true,
  },
  {
    name: "paperFormat",
    modes: PDF,
    group: "Paper",
    kind: "choice",
    values: ["letter", "legal", "tabloid", "ledger", "a0", "a1", "a2", "a3", "a4", "a5", "a6"],
    default: "a4",
    description: "Paper size; `width` and `height` override it.",
    example: "letter",
  },
  {
    name: "width",
    modes: PDF,
    group: "Paper",
    kind: "decimal",
    min: 1,
    max: 10_000,
    together: SIZE,
    description: "Paper width in `marginUnit`; requires `height` and overrides `paperFormat`.",
    example: 210,
  },
  {
    name: "height",
    modes: PDF,
    group: "Paper",
    kind: "decimal",
    min: 1,
    max: 10_000,
    together: SIZE,
    description: "Paper height in `marginUnit`; requires `width` and overrides `paperFormat`.",
    example: 297,
  },
  {
    name: "marginTop",
    modes: PDF,
    group: "Paper",
    kind: "decimal",
    min: 0,
    max: 1000,
    together: MARGINS,
    description: `Top margin ${MARGIN_NOTE}`,
    example: 10,
  },
  {
    name: "marginRight",
    modes: PDF,
    group: "Paper",
    kind: "decimal",
    min: 0,
    max: 1000,
    together: MARGINS,
    description: `Right margin ${MARGIN_NOTE}`,
    example: 10,
  },
  {
    name: "marginBottom",
    modes: PDF,
    group: "Paper",
    kind: "decimal",
    min: 0,
    max: 1000,
    together: MARGINS,
    description: `Bottom margin ${MARGIN_NOTE}`,
    example: 10,
  },
  {
    name: "marginLeft",
    modes: PDF,
    group: "Paper",
    kind: "decimal",
    min: 0,
    max: 1000,
    together: MARGINS,
    description: `Left margin ${MARGIN_NOTE}`,
    example: 10,
  },
  {
    name: "marginUnit",
    modes: PDF,
    group: "Paper",
    kind: "choice",
    values: ["mm", "cm", "in", "px"],
    default: "mm",
    description: "Unit of the margins and of a custom paper size.",
    example: "in",
  },
  {
    name: "scale",
    modes: PDF,
    group: "Paper",
    kind: "decimal",
    min: 0.1,
    max: 2,
    default: 1,
    description: "Scale of the content.",
    example: 0.8,
  },

  {
    name: "cache",
    modes: BOTH,
    group: "Cache",
    kind: "flag",
    default: true,
    description:
      "Whether the response may come from the cache, and whether this rendering is cached; `false` renders again.",
    example: true,
  },
  {
    name: "cacheTtl",
    modes: BOTH,
    group: "Cache",
    kind: "integer",
    min: LIMITS.cacheTtlMinSeconds,
    max: LIMITS.cacheTtlMaxSeconds,
    implied: LIMITS.cacheTtlDefaultSeconds,
    excludes: [{ names: ["cache"], called: "cache=false" }],
    description: `Seconds to cache the rendering; ${LIMITS.cacheTtlDefaultSeconds} by default. Cannot be combined with \`cache\` false.`,
    example: 3600,
  },
];
