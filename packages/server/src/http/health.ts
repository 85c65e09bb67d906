import { SnapError, type Engine } from "@snap/engine";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { json, send } from "../requests/response.ts";

/** Liveness: the process responds. */
export function healthz(): RequestHandler {
  return (_request, response) => send(response, json({ status: "ok" }));
}

/** How long the result of a check is reused. */
const RESULT_REUSE_MS = 1_000;

/**
 * Readiness: the service can render and store, and is not stopping. The reasons go to the log only. Anyone may call
 * this, and a check writes to the storage, so the service makes one at a time and at most one a second.
 */
export function readyz(options: {
  readonly engine: Engine;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
}): RequestHandler {
  const { engine, logger, isStopping } = options;
  const isReady = shareResult(async () => {
    const { ready, reasons } = await engine.health();
    if (!ready) logger.warn({ reasons }, "not ready");
    return ready;
  });
  return async (_request, response) => {
    if (isStopping()) throw stopping();
    if (!(await isReady()))
      throw new SnapError("not_ready", "The service cannot render or store right now; retry shortly.");
    send(response, json({ status: "ready" }));
  };
}

/** Returns a function that calls `work`, unless a call is pending or its result is less than `RESULT_REUSE_MS` old. */
export function shareResult<T>(work: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | null = null;
  return () => {
    shared ??= work().finally(() => void setTimeout(() => (shared = null), RESULT_REUSE_MS).unref());
    return shared;
  };
}

/** Refuses requests below these paths while the service drains, so that clients retry on another instance. */
export function refuseWhileDraining(isDraining: () => boolean, paths: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (isDraining() && paths.some((path) => request.url.startsWith(path))) throw stopping();
    next();
  };
}

function stopping(): SnapError {
  return new SnapError("not_ready", "The service is stopping; retry shortly.");
}
