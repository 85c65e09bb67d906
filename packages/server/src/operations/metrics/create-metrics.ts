import type { Capture, DeliveryAttempt, Engine, EngineEvent, FinishedItem } from "@snap/engine";
import type { Eviction } from "@snap/engine/ports";
import type { RendererEvent } from "@snap/engine/puppeteer";
import { collectDefaultMetrics, Registry } from "prom-client";
import { BUILD } from "../../version.ts";
import { createBatchMetrics } from "./batches.ts";
import { createBrowserMetrics } from "./browsers.ts";
import { createCreditMetrics } from "./credits.ts";
import { createStateReader, type ObservedDisk, type ObservedEngine } from "./read-state.ts";
import { createRenderMetrics } from "./renders.ts";
import { createRequestMetrics, type CountedRequest } from "./requests.ts";
import { createServiceMetrics } from "./service.ts";
import { createStorageMetrics } from "./storage.ts";

/** The metrics of one service, in a separate registry. */
export interface Metrics {
  readonly countRequest: (request: CountedRequest) => void;
  readonly countCapture: (capture: Capture, durationSeconds: number) => void;
  /** For the engine's `onItemFinished`. */
  readonly countItem: (item: FinishedItem) => void;
  /** For the engine's `onDeliveryAttempt`. */
  readonly countDelivery: (attempt: DeliveryAttempt) => void;
  /** For the engine's `onEvent`. */
  readonly countEvent: (event: EngineEvent) => void;
  /** For the renderer's `onEvent`. */
  readonly countRendererEvent: (event: RendererEvent) => void;
  /** For a storage's `onEvicted`. */
  readonly countEviction: (eviction: Eviction) => void;
  /** For the PostgreSQL storage's `onConnectionWait`. */
  readonly countConnectionWait: () => void;
  /**
   * Returns all metrics in the Prometheus text format, within a second. Gauges are read from `engine`; those of a
   * storage that fails or hangs are absent. `checkHealth` is the check that `/readyz` runs, by default `engine.health`.
   */
  expose(
    engine: ObservedEngine,
    checkHealth?: Engine["health"],
  ): Promise<{ readonly contentType: string; readonly body: string }>;
}

export interface MetricsOptions {
  /** The disk that holds the data folder; `null` (the default) if there is no data folder. */
  readonly disk?: ObservedDisk | null;
}

/**
 * Creates the metrics for a service and this process.
 *
 * @example
 * const metrics = createMetrics();
 * const engine = createEngine({
 *   storage,
 *   renderer: createPuppeteerRenderer({ onEvent: metrics.countRendererEvent }),
 *   secretKey,
 *   onItemFinished: metrics.countItem,
 *   onDeliveryAttempt: metrics.countDelivery,
 *   onEvent: metrics.countEvent,
 * });
 * const app = createApp({ engine, publicUrl: "https://snap.example.com", logger: createLogger("info"), metrics });
 */
export function createMetrics({ disk = null }: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const countRequest = createRequestMetrics(registry);
  const renders = createRenderMetrics(registry);
  const browsers = createBrowserMetrics(registry);
  const credits = createCreditMetrics(registry);
  const batches = createBatchMetrics(registry);
  const storage = createStorageMetrics(registry);
  const service = createServiceMetrics(registry, BUILD);
  const readState = createStateReader(disk);
  return {
    countRequest,
    countCapture(capture, durationSeconds) {
      renders.countCapture(capture, durationSeconds);
      credits.countCredits(capture.creditCost);
    },
    countItem(item) {
      batches.countItem(item);
      if (item.state.status === "done") credits.countCredits(item.state.creditCost);
    },
    countDelivery: batches.countDelivery,
    countEvent(event) {
      if (event.type === "slot-wait-ended") renders.countWait(event);
      else credits.countEvent(event);
    },
    countRendererEvent(event) {
      browsers.countEvent(event);
      service.recordEvent(event);
    },
    countEviction: storage.countEviction,
    countConnectionWait: storage.countConnectionWait,
    async expose(engine, checkHealth = () => engine.health()) {
      const state = await readState(engine, checkHealth);
      renders.setLoad(engine.load());
      browsers.setHealth(state.renderer);
      batches.setStats(state.batches);
      storage.setState(state);
      service.setState(state);
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
