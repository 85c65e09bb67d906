import type { Capture, CaptureRequest, Engine } from "@snap/engine";
import type { CaptureOptions } from "@snap/engine/internals";
import type { Metrics } from "../operations/metrics.ts";
import type { Exchange } from "./exchange.ts";

/** What the doors to `capture()` work with. */
export interface CaptureDoor {
  readonly engine: Engine;
  readonly metrics: Metrics | null;
}

/** One capture over HTTP, whoever proved that they may ask for it: noted for log and figures. */
export async function capturePage(
  { engine, metrics }: CaptureDoor,
  { exchange, ...asked }: CaptureRequest & CaptureOptions & { readonly exchange: Exchange },
): Promise<Capture> {
  const capture = await engine.capture(asked);
  exchange.cache = capture.cache;
  exchange.balance = capture.balance;
  metrics?.countCapture(capture, (performance.now() - exchange.startedAtMs) / 1000);
  return capture;
}
