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
import { rejectParameter } from "../requests/read-input.ts";
import { queryTextOf } from "../requests/request-target.ts";

/** `GET /snap`. */
export function snap(parts: CaptureParts): BearerEndpoint {
  return async ({ request, principal, exchange }) => {
    const capture = await capturePage(parts, {
      entryPoint: "snap",
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

/** `POST /captures`: the parameters of `GET /snap` as JSON, optionally with the page itself in place of `url`. */
export function captureContent(parts: CaptureParts, budget: BodyBudget): BearerEndpoint {
  return async ({ request, principal, exchange }) => {
    requireNoQuery(queryTextOf(request.url));
    const release = budget.take(request, principal.account.id);
    try {
      const body = await readJson(request, DOCUMENT_LIMITS.uploadBytes);
      const capture = await capturePage(parts, {
        entryPoint: "captures",
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

/** @throws SnapError `validation_failed` that names a parameter. */
function requireNoQuery(text: string): void {
  const [name] = new URLSearchParams(text).keys();
  if (name !== undefined) rejectParameter(name, "must be sent in the JSON body, not in the query");
}

/** @throws SnapError `validation_failed` or `invalid_url` unless it is an object with exactly one page. */
function readCapture(body: unknown): SeparatedContent {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidBody("must be a JSON object with the parameters of a capture");
  const { parameters, document } = separateContent({ ...body });
  return { parameters: typedParameters(parameters), document };
}
