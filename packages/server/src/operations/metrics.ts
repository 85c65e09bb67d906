import type { Capture, DeliveryAttempt, Engine, FinishedItem } from "@snap/engine";
import type { BatchStats, CacheStats, Eviction } from "@snap/engine/ports";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { createStorageFigures } from "./storage-figures.ts";
import { nameOutcome } from "./watch-batches.ts";

/** One request, as the metrics count it. */
export interface CountedRequest {
  /** Path of the route, or `unmatched`; never the path that the caller sent. */
  readonly route: string;
  readonly status: number;
  /** Error code; empty on success. */
  readonly code: string;
}

/** The metrics of one service, in a separate registry. */
export interface Metrics {
  countRequest(request: CountedRequest): void;
  countCapture(capture: Capture, durationSeconds: number): void;
  /** For the engine's `onItemFinished`. */
  countItem(item: FinishedItem): void;
  /** For the engine's `onDeliveryAttempt`. */
  countDelivery(attempt: DeliveryAttempt): void;
  countEviction(eviction: Eviction): void;
  /** Counts a page that was ended; for the renderer's `onEvent`. */
  countPageEnd(reason: string): void;
  /** Returns all metrics in the Prometheus text format; gauges are read from `engine`. */
  expose(
    engine: Pick<Engine, "load" | "batches" | "cacheStats" | "clockSkews" | "lastBackupAt">,
  ): Promise<{ readonly contentType: string; readonly body: string }>;
}

const RENDER_BUCKETS_SECONDS = [0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 45, 75];

/**
 * Creates the metrics of a service and of this process.
 *
 * @example
 * const metrics = createMetrics();
 * const engine = createEngine({
 *   storage,
 *   renderer,
 *   secretKey,
 *   onItemFinished: metrics.countItem,
 *   onDeliveryAttempt: metrics.countDelivery,
 * });
 * const app = createApp({ engine, publicUrl: "https://snap.example.com", logger: createLogger("info"), metrics });
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "snap_http_requests_total",
    help: "Requests by route, status and error code (empty on success).",
    labelNames: ["route", "status", "code"],
    registers,
  });
  const renders = new Histogram({
    name: "snap_render_duration_seconds",
    help: "Time from a request to its new rendering, including the wait for a slot.",
    labelNames: ["mode"],
    buckets: RENDER_BUCKETS_SECONDS,
    registers,
  });
  const captures = new Counter({
    name: "snap_captures_total",
    help: "Renderings returned, by cache result: hit, miss or bypass.",
    labelNames: ["cache"],
    registers,
  });
  const credits = new Counter({ name: "snap_credits_total", help: "Credits charged.", registers });
  const items = new Counter({
    name: "snap_batch_items_total",
    help: "Finished batch items by status and error code (empty on success).",
    labelNames: ["status", "code"],
    registers,
  });
  const attempts = new Counter({
    name: "snap_webhook_attempts_total",
    help: "Webhook delivery attempts by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const evictions = new Counter({
    name: "snap_cache_evictions_total",
    help: "Renderings evicted before they expired, by reason: quota, or space on the disk or in Redis.",
    labelNames: ["reason"],
    registers,
  });
  const pageEnds = new Counter({
    name: "snap_pages_ended_total",
    help: "Pages that were ended because they would have harmed other renders, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const load = createLoadGauges(registers);
  const skews = createSkewGauge(registers);
  const queues = createQueueGauges(registers);
  const cacheSize = createCacheGauges(registers);
  const readStorage = createStorageFigures();
  const backupAge = createBackupGauge(registers);
  return {
    countRequest: ({ route, status, code }) => requests.inc({ route, status, code }),
    countCapture({ cache, creditCost, rendering }, durationSeconds) {
      captures.inc({ cache });
      credits.inc(creditCost);
      const mode = rendering.contentType === "application/pdf" ? "pdf" : "screenshot";
      if (cache !== "hit") renders.observe({ mode }, durationSeconds);
    },
    countItem({ state }) {
      items.inc({ status: state.status, code: state.status === "failed" ? state.code : "" });
      if (state.status === "done") credits.inc(state.creditCost);
    },
    countDelivery: ({ outcome }) => attempts.inc({ outcome: nameOutcome(outcome) }),
    countEviction: ({ reason, renderings }) => evictions.inc({ reason }, renderings),
    countPageEnd: (reason) => pageEnds.inc({ reason }),
    async expose(engine) {
      load(engine.load());
      skews(engine.clockSkews());
      // If the storage fails or hangs, only the gauges about it are missing.
      const { batches, cache, lastBackupAt } = await readStorage(engine);
      queues(batches);
      cacheSize(cache);
      backupAge(lastBackupAt);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

function createLoadGauges(registers: Registry[]): (load: ReturnType<Engine["load"]>) => void {
  const running = new Gauge({ name: "snap_renders_running", help: "Running renders.", registers });
  const waiting = new Gauge({
    name: "snap_renders_waiting",
    help: "Renders that wait for a slot.",
    registers,
  });
  const slots = new Gauge({
    name: "snap_render_slots",
    help: "Render slots: renders that may always run at once.",
    registers,
  });
  const concurrency = new Gauge({
    name: "snap_render_concurrency",
    help: "Renders that may run at once while processors are idle and memory is free.",
    registers,
  });
  const quarantined = new Gauge({
    name: "snap_quarantined_accounts",
    help: "Accounts in quarantine, because one of their pages was ended within the last ten minutes.",
    registers,
  });
  return (load) => {
    quarantined.set(load.quarantined.accounts);
    running.set(load.running);
    waiting.set(load.waiting);
    slots.set(load.slots);
    concurrency.set(load.concurrency);
  };
}

function createSkewGauge(registers: Registry[]): (skews: ReturnType<Engine["clockSkews"]>) => void {
  const gauge = new Gauge({
    name: "snap_clock_skew_seconds",
    help: "Seconds that this machine's clock is ahead of that of PostgreSQL or Redis; negative if it is behind.",
    labelNames: ["server"],
    registers,
  });
  return (skews) => {
    gauge.reset();
    for (const { server, skewMs } of skews) gauge.set({ server }, skewMs / 1000);
  };
}

function createQueueGauges(registers: Registry[]): (stats: BatchStats | null) => void {
  const items = new Gauge({
    name: "snap_batch_items",
    help: "Unfinished batch items by state: queued or rendering.",
    labelNames: ["state"],
    registers,
  });
  const oldest = new Gauge({
    name: "snap_batch_oldest_unfinished_seconds",
    help: "Age of the oldest unfinished batch; 0 if there is none.",
    registers,
  });
  const deliveries = new Gauge({
    name: "snap_webhook_deliveries_open",
    help: "Webhook deliveries that are neither acknowledged nor abandoned.",
    registers,
  });
  return (stats) => {
    if (stats === null) {
      items.reset();
      oldest.remove();
      deliveries.remove();
      return;
    }
    items.set({ state: "queued" }, stats.queuedItems);
    items.set({ state: "rendering" }, stats.renderingItems);
    oldest.set((stats.oldestUnfinishedAgeMs ?? 0) / 1000);
    deliveries.set(stats.openDeliveries);
  };
}

function createCacheGauges(registers: Registry[]): (stats: CacheStats | null) => void {
  const bytes = new Gauge({
    name: "snap_cache_bytes",
    help: "Bytes of cached renderings, as they count against the quota.",
    registers,
  });
  const maxBytes = new Gauge({
    name: "snap_cache_max_bytes",
    help: "Quota of the cached renderings.",
    registers,
  });
  const freeBytes = new Gauge({
    name: "snap_cache_free_bytes",
    help: "Free space on the disk, or in Redis, where renderings are cached.",
    registers,
  });
  return (stats) => {
    for (const [gauge, value] of [
      [bytes, stats?.bytes],
      [maxBytes, stats?.maxBytes],
      [freeBytes, stats?.freeBytes],
    ] as const)
      if (typeof value === "number") gauge.set(value);
      else gauge.remove();
  };
}

function createBackupGauge(registers: Registry[]): (lastAt: number | null) => void {
  const age = new Gauge({
    name: "snap_backup_age_seconds",
    help: "Age of the last backup of the data folder; absent before the first.",
    registers,
  });
  return (lastAt) => {
    if (lastAt === null) age.remove();
    else age.set((Date.now() - lastAt) / 1000);
  };
}
