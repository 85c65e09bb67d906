import { BOTH, PDF, SCREENSHOT, type Row } from "../row.ts";

export const CONTENT_ROWS: readonly Row[] = [
  {
    name: "lazyContent",
    modes: BOTH,
    kind: "choice",
    values: ["auto", "scroll", "off"],
    implied: "auto",
    description:
      "How to load content outside the viewport. `auto`: scroll once through full pages and PDFs, in at most 2 seconds. `scroll`: scroll until nothing more loads, in at most 10 seconds. `off`: do not scroll; lazy images load only near the viewport, or all with `javascript=false`.",
    example: "scroll",
  },
  {
    name: "stabilize",
    modes: BOTH,
    kind: "flag",
    default: false,
    description:
      "Make renders repeatable: finite animations at their end, infinite ones at their start, no caret, GIFs and videos at their first frame. Waits at most 3 seconds for two captures to match; otherwise, the note is `unstable`.",
    example: true,
  },
  {
    name: "expandScrollers",
    modes: SCREENSHOT,
    kind: "flag",
    default: false,
    requires: ["fullPage"],
    description: "Lay out the largest inner scroll container at its full height; requires `fullPage`.",
    example: true,
  },
  {
    name: "expandScrollers",
    modes: PDF,
    kind: "flag",
    default: false,
    description: "Lay out the largest inner scroll container at its full height.",
    example: true,
  },
];
