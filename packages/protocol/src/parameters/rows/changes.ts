import { LIMITS } from "../../limits.ts";
import { canonicalColor } from "../color.ts";
import { BOTH, SCREENSHOT, type Row } from "../row.ts";

/** Default `maskColor`. */
export const DEFAULT_MASK_COLOR = "#ff00ff";

export const CHANGES_ROWS: readonly Row[] = [
  {
    name: "css",
    modes: BOTH,
    kind: "text",
    maxCharacters: LIMITS.codeCharacters,
    syntax: "CSS without @import",
    placeholder: "css",
    // the sheet is added as a constructed one, in which browsers ignore imports
    canonicalize: (css) => (/@import/i.test(css) ? null : css),
    description: "Style sheet to add to the page.",
    example: "body { background: white }",
  },
  {
    name: "hideSelectors",
    modes: BOTH,
    kind: "selector",
    maxCharacters: LIMITS.selectorListCharacters,
    description: "CSS selector list of elements to make invisible; they still take up space.",
    example: ".chat, #banner",
  },
  {
    name: "removeSelectors",
    modes: BOTH,
    kind: "selector",
    maxCharacters: LIMITS.selectorListCharacters,
    description: "CSS selector list of elements to remove from the layout.",
    example: ".chat, #banner",
  },
  {
    name: "click",
    modes: BOTH,
    kind: "selector",
    maxCharacters: LIMITS.selectorCharacters,
    description:
      "CSS selector of an element to click once the page is ready; the first match is used. If there is none, the note is `click-unmatched`.",
    example: "#show-details",
  },
  {
    name: "script",
    modes: BOTH,
    kind: "text",
    maxCharacters: LIMITS.codeCharacters,
    syntax: "JavaScript",
    placeholder: "javascript",
    description:
      "JavaScript to run in the page, as the body of an async function. If it throws or takes over 10 seconds, the render fails with `script_failed`.",
    example: "document.querySelector(`details`).open = true",
  },
  {
    name: "mask",
    modes: SCREENSHOT,
    kind: "selector",
    maxCharacters: LIMITS.selectorListCharacters,
    description: "CSS selector list of elements to cover with boxes.",
    example: ".email, .avatar",
  },
  {
    name: "maskColor",
    modes: SCREENSHOT,
    kind: "text",
    maxCharacters: 64,
    syntax: "a CSS color without var() or calc(), such as #ff00ff, black or oklch(70% 0.2 330)",
    placeholder: "color",
    canonicalize: canonicalColor,
    implied: DEFAULT_MASK_COLOR,
    requires: ["mask"],
    description:
      "Color of the `mask` boxes: a name, a hex color, or a CSS color function with numbers, such as `rgb()`.",
    example: "black",
  },
];
