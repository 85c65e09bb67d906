import type { Capture, Engine } from "@snap/engine";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** One answered request, as the figures count it. */
export interface CountedRequest {
  /** Path of the route, `unmatched` where there was none: never what the caller sent. */
  readonly route: string;
  readonly status: number;
  /** Error code; empty for a success. */
  readonly code: string;
}

/** The figures of one service, in a registry of its own. */
export interface Metrics {
  countRequest(request: CountedRequest): void;
  countCapture(capture: Capture, durationSeconds: number): void;
  /** All figures in the text format of Prometheus. */
  expose(): Promise<{ readonly contentType: string; readonly body: string }>;
}

const RENDER_BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 45, 75];

/** Figures about `engine` and this process. */
export function createMetrics(engine: Pick<Engine, "load">): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "snap_http_requests_total",
    help: "Answered requests by route, status and error code (empty for a success).",
    labelNames: ["route", "status", "code"],
    registers,
  });
  const renders = new Histogram({
    name: "snap_render_duration_seconds",
    help: "Time from a request to its new rendering, the wait for a turn included.",
    labelNames: ["mode"],
    buckets: RENDER_BUCKETS_SECONDS,
    registers,
  });
  const captures = new Counter({
    name: "snap_captures_total",
    help: "Renderings answered, by what the cache did: hit, miss or bypass.",
    labelNames: ["cache"],
    registers,
  });
  const credits = new Counter({ name: "snap_credits_total", help: "Credits charged.", registers });
  const gauge = (name: string, about: { help: string; read: () => number }): void => {
    const { help, read } = about;
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
  };
  gauge("snap_renders_running", { help: "Renders that run now.", read: () => engine.load().running });
  gauge("snap_renders_waiting", { help: "Renders that wait for a turn.", read: () => engine.load().waiting });
  return {
    countRequest: ({ route, status, code }) => requests.inc({ route, status, code }),
    countCapture({ cache, creditCost, rendering }, durationSeconds) {
      captures.inc({ cache });
      credits.inc(creditCost);
      const mode = rendering.contentType === "application/pdf" ? "pdf" : "screenshot";
      if (cache !== "hit") renders.observe({ mode }, durationSeconds);
    },
    async expose() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
