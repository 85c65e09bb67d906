import type { RendererEvent } from "@snap/engine/puppeteer";
import type { Logger } from "pino";

/** How much the operator should care about each. */
const LEVELS = {
  "browser-started": "debug",
  "browser-recycled": "info",
  "render-retried": "warn",
  "page-ended": "warn",
  "browser-ended": "warn",
  "browser-unresponsive": "warn",
  "browser-start-failed": "error",
  // one line for each connection says what its containment lacks
  "remote-browser-connected": "warn",
  "remote-browser-ended": "warn",
  "remote-browser-unresponsive": "warn",
  "remote-browser-refused": "error",
} as const satisfies Record<RendererEvent["type"], string>;

/** Writes what happens to the browser to the log. */
export function logRendererEvent(logger: Logger): (event: RendererEvent) => void {
  return ({ type, ...facts }) => logger[LEVELS[type]](facts, type.replaceAll("-", " "));
}
