import { LIMITS } from "../../limits.ts";
import { SCREENSHOT, type Row } from "../row.ts";

/** The differences between the clip parameters: name, what it measures, minimum, example. */
const CLIPS = [
  ["clipX", "Left edge", 0, 0],
  ["clipY", "Top edge", 0, 0],
  ["clipWidth", "Width", 1, 400],
  ["clipHeight", "Height", 1, 400],
] as const;
const CLIP = CLIPS.map(([name]) => name);
const CLIP_REGION = { names: CLIP, called: "a clip region" };

export const REGION_ROWS: readonly Row[] = [
  {
    name: "fullPage",
    modes: SCREENSHOT,
    kind: "flag",
    default: false,
    excludes: [CLIP_REGION],
    description: "Capture the whole scrollable page. Cannot be combined with `selector` or a clip region.",
    example: true,
  },
  {
    name: "selector",
    modes: SCREENSHOT,
    kind: "selector",
    maxCharacters: LIMITS.selectorCharacters,
    isStrict: true,
    excludes: [{ names: ["fullPage"], called: "fullPage" }, CLIP_REGION],
    description:
      "CSS selector of the element to capture; the first match is used. Cannot be combined with a clip region or `fullPage`. Use double quotes for attribute values.",
    example: "main",
  },
  ...CLIPS.map(([name, measure, min, example]): Row => ({
    name,
    modes: SCREENSHOT,
    kind: "integer",
    min,
    max: 10_000,
    together: CLIP,
    description: `${measure} of the clip region in pixels. Send all four clip parameters together, without \`selector\` or \`fullPage\`.`,
    example,
  })),
  {
    name: "fullPageMaxHeight",
    modes: SCREENSHOT,
    kind: "integer",
    min: 100,
    max: 40_000,
    requires: ["fullPage"],
    description:
      "Maximum height of the capture in pixels; requires `fullPage`. A page that is cut off has the note `height-capped`.",
    example: 5000,
  },
  {
    name: "padding",
    modes: SCREENSHOT,
    kind: "integer",
    min: 0,
    max: 500,
    implied: 0,
    requires: ["selector"],
    description: "Pixels to capture around the element; requires `selector`.",
    example: 20,
  },
];
