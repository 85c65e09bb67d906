import type { Engine } from "@snap/engine";
import { json } from "../requests/answer.ts";
import type { BearerEndpoint } from "./bearer.ts";
import { budgetHeaders } from "./budget-headers.ts";
import { capturePage, type CaptureDoor } from "../requests/capture-page.ts";
import { renderingAnswer } from "./rendering-answer.ts";
import { heldTags } from "./entity-tags.ts";
import { queryTextOf } from "../requests/request-target.ts";

/** `GET /snap`. */
export function snap(door: CaptureDoor): BearerEndpoint {
  return async ({ request, principal, exchange }) => {
    const capture = await capturePage(door, {
      exchange,
      principal,
      parameters: queryTextOf(request.url),
      holds: heldTags(request.headers["if-none-match"]),
    });
    return renderingAnswer(capture, {
      "Cache-Control": "private, no-cache",
      ...budgetHeaders(capture.budget),
    });
  };
}

/** `GET /usage`; it has no parameters, so a query is not looked at. */
export function usage(engine: Engine): BearerEndpoint {
  return async ({ principal }) => json(await engine.usage(principal));
}
