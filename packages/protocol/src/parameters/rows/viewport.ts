import { DEVICES } from "../devices.ts";
import { SCREENSHOT, type Row } from "../row.ts";

/** Viewport of a screenshot without `width`, `height` and `device`, in CSS pixels. */
export const DEFAULT_VIEWPORT = { width: 1280, height: 800 } as const;

const SIZE = ["width", "height"];

export const VIEWPORT_ROWS: readonly Row[] = [
  {
    name: "width",
    modes: SCREENSHOT,
    kind: "pixels",
    min: 1,
    max: 10_000,
    together: SIZE,
    implied: DEFAULT_VIEWPORT.width,
    description: "Viewport width in pixels; requires `height`.",
    example: DEFAULT_VIEWPORT.width,
  },
  {
    name: "height",
    modes: SCREENSHOT,
    kind: "pixels",
    min: 1,
    max: 10_000,
    together: SIZE,
    implied: DEFAULT_VIEWPORT.height,
    description: "Viewport height in pixels; requires `width`.",
    example: DEFAULT_VIEWPORT.height,
  },
  {
    name: "scale",
    modes: SCREENSHOT,
    kind: "integer",
    min: 1,
    max: 3,
    default: 1,
    description: "Device scale factor.",
    example: 2,
  },
  {
    name: "device",
    modes: SCREENSHOT,
    kind: "text",
    maxCharacters: 64,
    syntax: "the name of a device, such as iphone-15-pro or pixel-5-landscape",
    placeholder: "name",
    canonicalize: (text) => (DEVICES.includes(text) ? text : null),
    suggestions: DEVICES,
    excludes: [
      { names: SIZE, called: "width and height" },
      { names: ["scale", "mobile", "touch", "userAgent"], called: "scale, mobile, touch or userAgent" },
    ],
    description:
      "Device to emulate: its viewport, `scale`, `mobile`, `touch` and `userAgent`, which cannot be sent with it.",
    example: "iphone-15-pro",
  },
  {
    name: "mobile",
    modes: SCREENSHOT,
    kind: "flag",
    default: false,
    description:
      "Lay out the page as a mobile browser does, with its `viewport` meta tag and overlay scrollbars.",
    example: true,
  },
  {
    name: "touch",
    modes: SCREENSHOT,
    kind: "flag",
    default: false,
    description: "Emulate a touch screen.",
    example: true,
  },
];
