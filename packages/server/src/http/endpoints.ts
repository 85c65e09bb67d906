import type { CaptureRequest, Engine } from "@snap/engine";
import { separateContent, typedParameters, type SeparatedContent } from "@snap/engine/internals";
import { DOCUMENT_LIMITS, parseIfNoneMatch, type Answer } from "@snap/protocol";
import type { BodyBudget } from "../requests/body-budget.ts";
import { json, type HttpResponse } from "../requests/response.ts";
import { renderingDocument, separateAnswer, separateQueryAnswer } from "./answer.ts";
import { rateLimitHeaders, type BearerCall, type BearerEndpoint } from "./bearer.ts";
import { captureFile, capturePage, type CaptureDependencies } from "../requests/capture-page.ts";
import { factHeaders, renderingResponse } from "./rendering-response.ts";
import { requireNoQuery } from "../requests/read-input.ts";
import { invalidBody, readJson } from "../requests/request-body.ts";
import { rawQueryOf } from "../requests/request-target.ts";

/** Dependencies of the endpoints that respond with a rendering. */
export interface RenderingDependencies extends CaptureDependencies {
  /** Base of signed URLs; ends in `/v1`. */
  readonly baseUrl: string;
}

/** `GET /snap`. */
export function snap(dependencies: RenderingDependencies): BearerEndpoint {
  return (call) => {
    const { answer, parameters } = separateQueryAnswer(rawQueryOf(call.request.url));
    const request = { ...call, entryPoint: "snap", parameters } as const;
    if (answer === "file") return respondWithFile(dependencies, request);
    const sent = Object.fromEntries(new URLSearchParams(parameters));
    return respondWithFacts(dependencies, request, { parameters: sent, document: undefined });
  };
}

/** `POST /captures`: the parameters of `GET /snap` as JSON, optionally with the page itself in place of `url`. */
export function captureContent(dependencies: RenderingDependencies, budget: BodyBudget): BearerEndpoint {
  return async (call) => {
    const { request, principal } = call;
    requireNoQuery(rawQueryOf(request.url));
    const memory = budget.open(principal.account.id);
    try {
      const body = await readJson(request, { maxBytes: DOCUMENT_LIMITS.uploadBytes, memory });
      const { answer, ...page } = readCapture(body);
      const sent = { ...call, entryPoint: "captures", ...page } as const;
      return await (answer === "file"
        ? respondWithFile(dependencies, sent)
        : respondWithFacts(dependencies, sent, page));
    } finally {
      memory.release();
    }
  };
}

type RenderingRequest = BearerCall &
  Pick<CaptureRequest, "parameters" | "document"> & { readonly entryPoint: "snap" | "captures" };

async function respondWithFile(
  dependencies: RenderingDependencies,
  { request, ...capture }: RenderingRequest,
): Promise<HttpResponse> {
  const holds = parseIfNoneMatch(request.headers["if-none-match"]);
  const captured = await captureFile(dependencies, { ...capture, holds });
  return renderingResponse(captured, {
    "Cache-Control": "private, no-cache",
    ...rateLimitHeaders(captured.rateLimit),
  });
}

/** Never responds with 304, because the metadata of a capture contains its cost. */
async function respondWithFacts(
  dependencies: RenderingDependencies,
  request: RenderingRequest,
  page: SeparatedContent,
): Promise<HttpResponse> {
  const { principal, exchange, entryPoint, parameters, document } = request;
  const call = { principal, exchange, entryPoint, parameters, document };
  // with `linked`, a capture whose link cannot be signed fails before the charge
  const capture = await capturePage(dependencies, { ...call, linked: () => false });
  const { engine, baseUrl } = dependencies;
  const facts = renderingDocument(engine, { ...page, principal, capture, baseUrl });
  return json(facts, { headers: { ...factHeaders(capture), ...rateLimitHeaders(capture.rateLimit) } });
}

/** `GET /usage`. It has no parameters and ignores the query. */
export function usage(engine: Engine): BearerEndpoint {
  return async ({ principal }) => json(await engine.usage(principal));
}

/** @throws SnapError `validation_failed` or `invalid_url` unless it is an object with exactly one page. */
function readCapture(body: unknown): SeparatedContent & { readonly answer: Answer } {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidBody("must be a JSON object with the parameters of a capture");
  const { answer, parameters: sent } = separateAnswer({ ...body });
  return { answer, ...separateContent(typedParameters(sent)) };
}
