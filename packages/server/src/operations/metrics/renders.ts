import type { Capture, EngineEvent, SchedulerLoad } from "@snap/engine";
import type { Registry } from "prom-client";
import { counter, gauge, histogram, registerAll } from "./define.ts";

/** A render takes at most 45 s by default; the last bucket is for renders that also waited for a slot. */
const RENDER_BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 45, 75];
/** A render waits at most a minute. */
const WAIT_BUCKETS_SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];

export const RENDER_METRICS = {
  captures: counter({
    name: "snap_captures_total",
    help: "Renderings returned to requests and tools, by cache outcome.",
    labels: {
      cache: {
        hit: "served from the cache",
        miss: "rendered now, and cached if it fits",
        bypass: "rendered now, because `cache` was false",
      },
    },
  }),
  durations: histogram(
    {
      name: "snap_render_duration_seconds",
      help: "Time from a request to its new rendering, including the wait for a slot.",
      labels: { mode: { screenshot: "an image", pdf: "a PDF" } },
    },
    RENDER_BUCKETS_SECONDS,
  ),
  waits: histogram(
    {
      name: "snap_queue_wait_seconds",
      help: "Time that renders waited for a slot, whether they got one or gave up.",
      labels: {
        priority: { interactive: "somebody is waiting for the response", batch: "an item of a batch" },
      },
    },
    WAIT_BUCKETS_SECONDS,
  ),
  running: gauge({ name: "snap_renders_running", help: "Running renders." }),
  waiting: gauge({ name: "snap_renders_waiting", help: "Renders waiting for a slot." }),
  slots: gauge({
    name: "snap_render_slots",
    help: "Render slots: renders that can always run at once.",
  }),
  concurrency: gauge({
    name: "snap_render_concurrency",
    help: "Renders that can run at once while cores are idle and memory is free.",
  }),
  quarantined: gauge({
    name: "snap_quarantined_accounts",
    help: "Accounts in quarantine, because one of their pages was ended within the last ten minutes.",
  }),
};

export interface RenderMetrics {
  readonly countCapture: (capture: Pick<Capture, "cache" | "rendering">, durationSeconds: number) => void;
  readonly countWait: (event: Extract<EngineEvent, { readonly type: "slot-wait-ended" }>) => void;
  readonly setLoad: (load: SchedulerLoad) => void;
}

export function createRenderMetrics(registry: Registry): RenderMetrics {
  const { captures, durations, waits, running, waiting, slots, concurrency, quarantined } = registerAll(
    RENDER_METRICS,
    registry,
  );
  return {
    countCapture({ cache, rendering }, durationSeconds) {
      captures.inc({ cache });
      const mode = rendering.contentType === "application/pdf" ? "pdf" : "screenshot";
      if (cache !== "hit") durations.observe({ mode }, durationSeconds);
    },
    countWait: ({ priority, waitedMs }) => waits.observe({ priority }, waitedMs / 1000),
    setLoad(load) {
      running.set(load.running);
      waiting.set(load.waiting);
      slots.set(load.slots);
      concurrency.set(load.concurrency);
      quarantined.set(load.quarantined.accounts);
    },
  };
}
