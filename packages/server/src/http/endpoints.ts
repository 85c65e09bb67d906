import type { Engine } from "@snap/engine";
import type { Metrics } from "../operations/metrics.ts";
import { json } from "./answer.ts";
import type { BearerEndpoint } from "./bearer.ts";
import { heldTags } from "./entity-tags.ts";
import { renderingAnswer } from "./rendering-answer.ts";
import { queryOf } from "./request-target.ts";

/** `GET /snap`. */
export function snap(engine: Engine, metrics: Metrics | null): BearerEndpoint {
  return async ({ request, principal, exchange }) => {
    const capture = await engine.capture({
      principal,
      parameters: queryOf(request.url),
      holds: heldTags(request.headers["if-none-match"]),
    });
    exchange.cache = capture.cache;
    metrics?.countCapture(capture, (performance.now() - exchange.startedAtMs) / 1000);
    return renderingAnswer(capture);
  };
}

/** `GET /usage`; it has no parameters, so a query is not looked at. */
export function usage(engine: Engine): BearerEndpoint {
  return async ({ principal }) => json(await engine.usage(principal));
}
