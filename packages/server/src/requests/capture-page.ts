import { SnapError, type Capture, type CaptureRequest, type Engine, type Principal } from "@snap/engine";
import type { ByteBudget, CaptureOptions } from "@snap/engine/internals";
import type { Metrics } from "../operations/metrics/create-metrics.ts";
import type { Exchange } from "./exchange.ts";

/** Dependencies of every entry point that captures a page. */
export interface CaptureDependencies {
  readonly engine: Engine;
  readonly metrics: Metrics | null;
  /** Limits the bytes of the files being sent, because a client can be slow. */
  readonly sendBudget: ByteBudget;
}

/** An authenticated request. */
interface Requested {
  readonly principal: Principal;
  readonly exchange: Exchange;
}

/** Captures a page for an authenticated request, and records the outcome for the log and the metrics. */
export async function capturePage(
  { engine, metrics }: CaptureDependencies,
  { exchange, ...request }: CaptureRequest & CaptureOptions & Requested,
): Promise<Capture> {
  const capture = await engine.capture({ ...request, requestId: exchange.requestId });
  exchange.cache = capture.cache;
  exchange.balance = capture.balance;
  metrics?.countCapture(capture, (performance.now() - exchange.startedAtMs) / 1000);
  return capture;
}

/** Captures a page whose file is sent. A new file that does not fit the budget is not charged. */
export async function captureFile(
  dependencies: CaptureDependencies,
  request: Omit<CaptureRequest & CaptureOptions, "accept"> & Requested,
): Promise<Capture> {
  let isTaken = false;
  const take = ({ bytes }: { readonly bytes: Uint8Array }): void => {
    if (!isTaken) takeSent(dependencies.sendBudget, { ...request, bytes: bytes.byteLength });
    isTaken = true;
  };
  const capture = await capturePage(dependencies, { ...request, accept: take });
  if (!capture.unchanged) take(capture.rendering); // it may come from the cache
  return capture;
}

/**
 * Takes the bytes that a response contains from the budget until the response closes.
 *
 * @throws SnapError `upstream_rate_limited` if there are not enough left.
 */
export function takeSent(
  sendBudget: ByteBudget,
  { principal, exchange, bytes }: Requested & { readonly bytes: number },
): void {
  const free = sendBudget.take(principal.account.id, bytes);
  if (free === null)
    throw new SnapError(
      "upstream_rate_limited",
      "Too many renderings are being sent. Receive the other responses, or retry shortly.",
    );
  exchange.freeSent = free;
}
