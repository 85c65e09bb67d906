import type { RendererHealth } from "@snap/engine/ports";
import type { RendererEvent } from "@snap/engine/puppeteer";
import type { Registry } from "prom-client";
import { counter, gauge, registerAll, setOrRemove } from "./define.ts";

export const BROWSER_METRICS = {
  restarts: counter({
    name: "snap_browser_restarts_total",
    help: "Browsers that were replaced, and connections to remote browsers that were lost or given up.",
    labels: {
      reason: {
        renders: "planned: it had reached its maximum number of renders",
        age: "planned: it had reached its maximum age",
        memory: "its long-lived processes used too much memory",
        ended: "it crashed, could not open pages, or was killed, for example because it did not respond",
        disconnected:
          "the connection to a remote browser was lost, or given up because the browser did not respond or could not open pages",
      },
    },
  }),
  pageEnds: counter({
    name: "snap_pages_ended_total",
    help: "Pages that were ended because they would have harmed other renders.",
    labels: {
      reason: {
        memory: "it used too much memory",
        "processor-time": "it used too much CPU time",
        flood: "it kept the browser from responding",
        events: "it sent too many events to the service",
      },
    },
  }),
  memory: gauge({
    name: "snap_browser_memory_bytes",
    help: "Memory of all processes of the local browsers; absent with remote browsers, and 0 on systems without /proc.",
  }),
};

export interface BrowserMetrics {
  readonly countEvent: (event: RendererEvent) => void;
  readonly setHealth: (health: RendererHealth | null) => void;
}

export function createBrowserMetrics(registry: Registry): BrowserMetrics {
  const { restarts, pageEnds, memory } = registerAll(BROWSER_METRICS, registry);
  return {
    countEvent(event) {
      if (event.type === "page-ended") pageEnds.inc({ reason: event.reason });
      if (event.type === "browser-recycled") restarts.inc({ reason: event.reason });
      if (event.type === "browser-ended") restarts.inc({ reason: "ended" });
      if (event.type === "remote-browser-ended") restarts.inc({ reason: "disconnected" });
    },
    setHealth: (health) => setOrRemove(memory, health?.memoryBytes),
  };
}
