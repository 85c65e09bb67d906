import type { Capture, Engine, Principal } from "@snap/engine";
import type { Request } from "express";
import type { Metrics } from "../operations/metrics.ts";
import { heldTags } from "./entity-tags.ts";
import type { Exchange } from "./exchange.ts";

/** What the doors to `capture()` work with. */
export interface CaptureDoor {
  readonly engine: Engine;
  readonly metrics: Metrics | null;
}

/** One capture over HTTP, whoever proved that they may ask for it: noted for log and figures. */
export async function capturePage(
  { engine, metrics }: CaptureDoor,
  asked: {
    readonly request: Request;
    readonly exchange: Exchange;
    readonly principal: Principal;
    readonly parameters: URLSearchParams;
  },
): Promise<Capture> {
  const { request, exchange, principal, parameters } = asked;
  const holds = heldTags(request.headers["if-none-match"]);
  const capture = await engine.capture({ principal, parameters, holds });
  exchange.cache = capture.cache;
  metrics?.countCapture(capture, (performance.now() - exchange.startedAtMs) / 1000);
  return capture;
}
