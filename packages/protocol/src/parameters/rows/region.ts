import { LIMITS } from "../../limits.ts";
import { SCREENSHOT, type ParameterRow } from "../row.ts";

const CLIP = ["clipX", "clipY", "clipWidth", "clipHeight"];
const CLIP_REGION = { names: CLIP, called: "a clip region" };
const CLIP_NOTE = "Send all four clip parameters together, without `selector` or `fullPage`.";

export const REGION_ROWS: readonly ParameterRow[] = [
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
    maxCharacters: LIMITS.selectorCharacters,
    isStrict: true,
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
    name: "fullPageMaxHeight",
    modes: SCREENSHOT,
    group: "Region",
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
    group: "Region",
    kind: "integer",
    min: 0,
    max: 500,
    implied: 0,
    requires: ["selector"],
    description: "Pixels to capture around the element; requires `selector`.",
    example: 20,
  },
];
