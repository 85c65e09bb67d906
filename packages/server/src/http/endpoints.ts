import type { Capture, Engine } from "@snap/engine";
import { separateContent, typedParameters, type SeparatedContent } from "@snap/engine/internals";
import { DOCUMENT_LIMITS } from "@snap/protocol";
import type { BodyBudget } from "../requests/body-budget.ts";
import { json, type HttpResponse } from "../requests/response.ts";
import { rateLimitHeaders, type BearerEndpoint } from "./bearer.ts";
import { capturePage, type CaptureParts } from "../requests/capture-page.ts";
import { renderingResponse } from "./rendering-response.ts";
import { parseIfNoneMatch } from "./entity-tags.ts";
import { invalidBody, readJson } from "../requests/request-body.ts";
import { pathOf, queryTextOf } from "../requests/request-target.ts";

/** `GET /snap`. */
export function snap(parts: CaptureParts): BearerEndpoint {
  return async ({ request, principal, exchange }) => {
    const capture = await capturePage(parts, {
      exchange,
      principal,
      parameters: queryTextOf(request.url),
      holds: parseIfNoneMatch(request.headers["if-none-match"]),
    });
    return privateRendering(capture);
  };
}

function privateRendering(capture: Capture): HttpResponse {
  return renderingResponse(capture, {
    "Cache-Control": "private, no-cache",
    ...rateLimitHeaders(capture.rateLimit),
  });
}

/** `POST /captures`: the parameters of `GET /snap` as JSON, with the page itself in place of `url` if the caller wants. */
export function captureContent(parts: CaptureParts, budget: BodyBudget): BearerEndpoint {
  return async ({ request, principal, exchange }) => {
    const release = budget.take(request, principal.account.id);
    try {
      const body = await readJson(request, DOCUMENT_LIMITS.uploadBytes);
      const capture = await capturePage(parts, {
        exchange,
        principal,
        ...readCapture(body),
        holds: parseIfNoneMatch(request.headers["if-none-match"]),
      });
      return privateRendering(capture);
    } finally {
      release();
    }
  };
}

/** `GET /usage`. It has no parameters and ignores the query. */
export function usage(engine: Engine): BearerEndpoint {
  return async ({ principal }) => json(await engine.usage(principal));
}

/** `POST /renders`. Only an authenticated caller can make the service read a body. */
export function submitBatch(engine: Engine, { baseUrl }: { readonly baseUrl: string }): BearerEndpoint {
  return async ({ request, principal }) => {
    const batch = await engine.batches.submit({ principal, document: await readJson(request) });
    const accepted = json(batch, "no-store", 202);
    return { ...accepted, headers: { ...accepted.headers, Location: `${baseUrl}/renders/${batch.id}` } };
  };
}

/** `GET /renders/{id}`. */
export function getBatch(engine: Engine): BearerEndpoint {
  return async ({ request, principal }) =>
    json(await engine.batches.get({ principal, batchId: idOf(request.url) }));
}

/** @throws SnapError `validation_failed` or `invalid_url` unless it is an object with exactly one page. */
function readCapture(body: unknown): SeparatedContent {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidBody("must be a JSON object with the parameters of a capture");
  const { parameters, document } = separateContent({ ...body });
  return { parameters: typedParameters(parameters), document };
}

/** Returns the id at the end of a path. One that cannot be decoded stays as it is, and is then not found. */
export function idOf(target: string): string {
  const path = pathOf(target);
  const segment = path.slice(path.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
