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
 * Returns the check of readiness: whether the service can render and store, and is not stopping. Anyone may cause one, and
 * it writes to the storage, so the service makes one at a time and at most one a second. The reasons go to the log.
 */
export function shareHealth(options: {
  readonly engine: Engine;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
}): Engine["health"] {
  const { engine, logger, isStopping } = options;
  const check = shareResult(async () => {
    const health = await engine.health();
    if (!health.ready) logger.warn({ reasons: health.reasons }, "not ready");
    return health;
  });
  return async () => {
    const health = await check();
    return isStopping() ? { ...health, ready: false } : health;
  };
}

/** Readiness, without reasons. */
export function readyz(options: {
  readonly checkHealth: Engine["health"];
  readonly isStopping: () => boolean;
}): RequestHandler {
  const { checkHealth, isStopping } = options;
  return async (_request, response) => {
    if (isStopping()) throw stopping();
    const { ready } = await checkHealth();
    if (!ready)
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

/** Rejects requests below these paths while the service drains, so that clients retry on another instance. */
export function rejectWhileDraining(isDraining: () => boolean, paths: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (isDraining() && paths.some((path) => request.url.startsWith(path))) throw stopping();
    next();
  };
}

function stopping(): SnapError {
  return new SnapError("not_ready", "The service is stopping; retry shortly.");
}
