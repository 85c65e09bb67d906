import type { RendererEvent } from "@snap/engine/puppeteer";
import type { Logger } from "pino";
import type { Metrics } from "./metrics/create-metrics.ts";

/** Log level of each event. */
const LEVELS = {
  "browser-started": "debug",
  "browser-recycled": "info",
  "render-retried": "warn",
  "page-ended": "warn",
  "filters-skipped": "info",
  "filters-too-slow": "warn",
  "browser-ended": "warn",
  "browser-unresponsive": "warn",
  "browser-start-failed": "error",
  // a warning, because it lists the gaps in the browser's containment
  "remote-browser-connected": "warn",
  "remote-browser-ended": "warn",
  "remote-browser-unresponsive": "warn",
  "remote-browser-refused": "error",
} as const satisfies Record<RendererEvent["type"], string>;

/**
 * Returns a renderer callback that logs and counts the events of its browsers. The first start of
 * a browser is logged at `info`, because it names the version.
 */
export function watchRenderer({
  logger,
  metrics,
}: {
  readonly logger: Logger;
  readonly metrics: Metrics | false;
}): (event: RendererEvent) => void {
  let hasStarted = false;
  return (event) => {
    if (metrics) metrics.countRendererEvent(event);
    const { type, requestId, retryInMs, ...facts } = {
      requestId: undefined,
      retryInMs: undefined,
      ...event,
    };
    const isFirst = type === "browser-started" && !hasStarted;
    hasStarted ||= isFirst;
    logger[isFirst ? "info" : LEVELS[type]](
      { ...facts, retry_in_ms: retryInMs, request_id: requestId },
      type.replaceAll("-", " "),
    );
  };
}
