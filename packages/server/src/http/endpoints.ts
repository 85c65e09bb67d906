import type { Engine } from "@snap/engine";
import { json } from "../requests/answer.ts";
import { rateLimitHeaders, type BearerEndpoint } from "./bearer.ts";
import { capturePage, type CaptureDoor } from "../requests/capture-page.ts";
import { renderingAnswer } from "./rendering-answer.ts";
import { heldTags } from "./entity-tags.ts";
import { readJson } from "../requests/request-body.ts";
import { pathOf, queryTextOf } from "../requests/request-target.ts";

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
      ...rateLimitHeaders(capture.rateLimit),
    });
  };
}

/** `GET /usage`; it has no parameters, so a query is not looked at. */
export function usage(engine: Engine): BearerEndpoint {
  return async ({ principal }) => json(await engine.usage(principal));
}

/** `POST /renders`. The body is read once it is known who sends it. */
export function submitBatch(engine: Engine, { baseUrl }: { readonly baseUrl: string }): BearerEndpoint {
  return async ({ request, principal }) => {
    const batch = await engine.batches.submit({ principal, document: await readJson(request) });
    const answer = json(batch, "no-store", 202);
    return { ...answer, headers: { ...answer.headers, Location: `${baseUrl}/renders/${batch.id}` } };
  };
}

/** `GET /renders/{id}`. */
export function pollBatch(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) =>
    json(await engine.batches.get({ principal, batchId: decode(lastSegment(request.url)) }));
}

function lastSegment(target: string): string {
  const path = pathOf(target);
  return path.slice(path.lastIndexOf("/") + 1);
}

/** What can't be decoded is no id either: it stays as it is, and is not found. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
