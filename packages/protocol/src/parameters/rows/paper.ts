import { PAPER_INCHES, UNITS_PER_INCH } from "../paper-size.ts";
import { PDF, type Row } from "../row.ts";

const SIZE = ["width", "height"];
const SIDES = ["Top", "Right", "Bottom", "Left"];
const MARGINS = SIDES.map((side) => `margin${side}`);

export const PAPER_ROWS: readonly Row[] = [
  {
    name: "landscape",
    modes: PDF,
    kind: "flag",
    default: false,
    description: "Landscape orientation.",
    example: true,
  },
  {
    name: "paperFormat",
    modes: PDF,
    kind: "choice",
    values: Object.keys(PAPER_INCHES) as [string, ...string[]],
    default: "a4",
    description: "Paper size; `width` and `height` override it.",
    example: "letter",
  },
  {
    name: "width",
    modes: PDF,
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
    kind: "decimal",
    min: 1,
    max: 10_000,
    together: SIZE,
    description: "Paper height in `marginUnit`; requires `width` and overrides `paperFormat`.",
    example: 297,
  },
  ...SIDES.map((side): Row => ({
    name: `margin${side}`,
    modes: PDF,
    kind: "decimal",
    min: 0,
    max: 1000,
    together: MARGINS,
    description: `${side} margin in \`marginUnit\`; send all four margins together.`,
    example: 10,
  })),
  {
    name: "marginUnit",
    modes: PDF,
    kind: "choice",
    values: Object.keys(UNITS_PER_INCH) as [string, ...string[]],
    default: "mm",
    description: "Unit of the margins and of a custom paper size.",
    example: "in",
  },
  {
    name: "scale",
    modes: PDF,
    kind: "decimal",
    min: 0.1,
    max: 2,
    default: 1,
    description: "Scale of the content.",
    example: 0.8,
  },
  {
    name: "singlePage",
    modes: PDF,
    kind: "flag",
    default: false,
    excludes: [
      { names: ["landscape"], called: "landscape" },
      { names: ["cssPageSize"], called: "cssPageSize" },
      { names: ["pageRanges"], called: "pageRanges" },
    ],
    description:
      "One page as long as its content and as wide as the paper; at most 200 inches long. Cannot be combined with `landscape`, `cssPageSize` or `pageRanges`.",
    example: true,
  },
  {
    name: "cssPageSize",
    modes: PDF,
    kind: "flag",
    default: false,
    description: "Allow the page's `@page { size }` to override the paper size.",
    example: true,
  },
];
