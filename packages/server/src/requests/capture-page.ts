import type { Capture, CaptureRequest, Engine, Principal } from "@snap/engine";
import type { CaptureOptions } from "@snap/engine/internals";
import type { Metrics } from "../operations/metrics/create-metrics.ts";
import type { Exchange } from "./exchange.ts";
import type { SendBudget } from "./send-budget.ts";

/** Dependencies of the routes and tools that capture a page. */
export interface CaptureDependencies {
  readonly engine: Engine;
  readonly metrics: Metrics | null;
  readonly sendBudget: SendBudget;
}

/** An authenticated request. */
interface AuthenticatedRequest {
  readonly principal: Principal;
  readonly exchange: Exchange;
}

/**
 * Captures a page for an authenticated request, and records a success for the log, the metrics and
 * the response headers.
 */
export async function capturePage(
  { engine, metrics }: CaptureDependencies,
  { exchange, ...request }: CaptureRequest & CaptureOptions & AuthenticatedRequest,
): Promise<Capture> {
  const capture = await engine.capture({ ...request, requestId: exchange.requestId });
  exchange.cache = capture.cache;
  exchange.balance = capture.balance;
  metrics?.countCapture(capture, (performance.now() - exchange.startedAtMs) / 1000);
  return capture;
}

/** Captures a page to send its file. A file that does not fit in the send budget costs nothing. */
export function captureFile(
  dependencies: CaptureDependencies,
  request: Omit<CaptureRequest & CaptureOptions, "accept"> & AuthenticatedRequest,
): Promise<Capture> {
  const { principal, exchange } = request;
  const accept = ({ bytes }: { readonly bytes: Uint8Array }): void => {
    exchange.releaseMemory = dependencies.sendBudget.takeFile(principal.account.id, bytes);
  };
  return capturePage(dependencies, { ...request, accept });
}
