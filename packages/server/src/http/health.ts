import { SnapError, type Engine } from "@snap/engine";
import type { RequestHandler } from "express";
import type { Logger } from "pino";
import { json, send } from "../requests/response.ts";

/** Liveness: the process responds. */
export function healthz(): RequestHandler {
  return (_request, response) => send(response, json({ status: "ok" }));
}

/** Readiness: the service can render and store, and is not stopping. The reasons go to the log only. */
export function readyz(options: {
  readonly engine: Engine;
  readonly logger: Logger;
  readonly isStopping: () => boolean;
}): RequestHandler {
  const { engine, logger, isStopping } = options;
  return async (_request, response) => {
    if (isStopping()) throw stopping();
    const { ready, reasons } = await engine.health();
    if (!ready) {
      logger.warn({ reasons }, "not ready");
      throw new SnapError("not_ready", "The service cannot render or store right now; retry shortly.");
    }
    send(response, json({ status: "ready" }));
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
  return new SnapError("not_ready", "The service is stopping; retry the request.");
}
