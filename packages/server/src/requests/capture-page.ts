import type { Capture, CaptureRequest, Engine } from "@snap/engine";
import type { CaptureOptions } from "@snap/engine/internals";
import type { Metrics } from "../operations/metrics/create-metrics.ts";
import type { Exchange } from "./exchange.ts";

/** Dependencies of every entry point that captures a page. */
export interface CaptureDependencies {
  readonly engine: Engine;
  readonly metrics: Metrics | null;
}

/** Captures a page for an authenticated request, and records the outcome for the log and the metrics. */
export async function capturePage(
  { engine, metrics }: CaptureDependencies,
  { exchange, ...request }: CaptureRequest & CaptureOptions & { readonly exchange: Exchange },
): Promise<Capture> {
  const capture = await engine.capture({ ...request, requestId: exchange.requestId });
  exchange.cache = capture.cache;
  exchange.balance = capture.balance;
  metrics?.countCapture(capture, (performance.now() - exchange.startedAtMs) / 1000);
  return capture;
}
