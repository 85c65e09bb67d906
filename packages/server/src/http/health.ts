import { SnapError, type Engine } from "@snap/engine";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { json, send } from "../requests/response.ts";
import { shareResult } from "../requests/share-result.ts";

/** Liveness: the process responds. */
export function healthz(): RequestHandler {
  return (_request, response) => send(response, json({ status: "ok" }));
}

/**
 * Returns the readiness check: whether the service can render, store and rely on its clock, and is not stopping. Anyone
 * can trigger it, and it writes to the storage, so the service runs one check at a time and at most one a second. The
 * reasons go to the log.
 */
export function createReadinessCheck(options: {
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
      throw new SnapError(
        "not_ready",
        "The service cannot render, write to its storage or rely on its clock right now; retry shortly.",
      );
    send(response, json({ status: "ready" }));
  };
}

/** Rejects requests under these paths while the service is draining, so clients retry on another instance. */
export function rejectWhileDraining(isDraining: () => boolean, paths: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (isDraining() && paths.some((path) => request.url.startsWith(path))) throw stopping();
    next();
  };
}

function stopping(): SnapError {
  return new SnapError("not_ready", "The service is stopping; retry shortly.");
}
