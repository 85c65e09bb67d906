import { LIMITS } from "../../limits.ts";
import { BOTH, SCREENSHOT, type Row } from "../row.ts";

/** How a capture without `waitUntil` waits, at most `LIMITS.idleAfterLoadMaxMs` after `load`. */
export const DEFAULT_WAIT = "networkidle2";

/** Default `waitTimeout`: maximum time for each wait that it limits. */
export const DEFAULT_WAIT_TIMEOUT_MS = 10_000;

export const WAIT_ROWS: readonly Row[] = [
  {
    name: "waitUntil",
    modes: SCREENSHOT,
    kind: "choice",
    values: ["load", "domcontentloaded", "networkidle0", "networkidle2"],
    implied: DEFAULT_WAIT,
    description: `What to wait for before the capture. \`networkidle0\`: no network connection for half a second; \`networkidle2\`: at most two. By default \`${DEFAULT_WAIT}\`, and a page that never becomes idle is captured ${LIMITS.idleAfterLoadMaxMs / 1000} seconds after \`load\`.`,
    example: "load",
  },
  {
    name: "waitForSelector",
    modes: SCREENSHOT,
    kind: "selector",
    maxCharacters: LIMITS.selectorCharacters,
    isStrict: true,
    description: "CSS selector; the capture waits for a matching element.",
    example: "#ready",
  },
  {
    name: "delay",
    modes: SCREENSHOT,
    kind: "integer",
    min: 0,
    max: 10_000,
    description: "Milliseconds to wait before the capture.",
    example: 500,
  },
  {
    name: "waitForFunction",
    modes: BOTH,
    kind: "text",
    maxCharacters: 2000,
    syntax: "a JavaScript expression",
    placeholder: "expression",
    description:
      "JavaScript expression; the capture waits until it is truthy. A function must be called: `(() => window.ready)()`.",
    example: "document.fonts.status === `loaded`",
  },
  {
    name: "waitForHidden",
    modes: BOTH,
    kind: "selector",
    maxCharacters: LIMITS.selectorCharacters,
    description: "CSS selector; the capture waits until no visible element matches.",
    example: ".spinner",
  },
  {
    name: "waitTimeout",
    modes: BOTH,
    kind: "integer",
    min: 100,
    max: 30_000,
    implied: DEFAULT_WAIT_TIMEOUT_MS,
    description:
      "Maximum milliseconds for `waitForFunction` and `waitForHidden`; in a screenshot, if it or `onWaitTimeout` is sent, also for `waitUntil` and `waitForSelector`.",
    example: 5000,
  },
  {
    name: "onWaitTimeout",
    modes: BOTH,
    kind: "choice",
    values: ["fail", "capture"],
    implied: "fail",
    description:
      "When a requested wait times out: `fail` with `render_timeout`, or `capture` the page as it is, with the note `wait-capped`.",
    example: "capture",
  },
];
