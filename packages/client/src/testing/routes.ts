import {
  fromText,
  HEADERS,
  LIMITS,
  modeOf,
  PARAMETERS,
  REQUEST_HEADERS,
  SIGNATURE_PARAMETERS,
  verifyQuery,
  type ParameterRow,
  type UrlSigner,
} from "@snap/protocol";
import type { FakeBatches } from "./batches.ts";
import type { FakeDocuments } from "./documents.ts";
import { RENDERS_PER_MINUTE, type Renders } from "./renders.ts";
import { envelope, FailedRequest } from "./responses.ts";

/** A request that the fake service received. */
export interface RecordedRequest {
  readonly method: string;
  /** Path under the base URL, such as `/snap`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /** The body as text; empty without a body. */
  readonly body: string;
}

/** Dependencies of the routes. */
export interface RouteDependencies {
  readonly renders: Renders;
  readonly batches: FakeBatches;
  readonly documents: FakeDocuments;
  readonly signer: UrlSigner;
  readonly token: string;
  readonly now: () => number;
}

/** Returns the response of the service to a request. */
export function respond(
  request: RecordedRequest,
  { dependencies, requestId }: { readonly dependencies: RouteDependencies; readonly requestId: string },
): Response {
  let response: Response;
  try {
    response = route(request, dependencies);
  } catch (error) {
    if (!(error instanceof FailedRequest)) throw error;
    response = envelope(error.failure, requestId);
  }
  const { total, remaining } = dependencies.renders.credits;
  if (request.path !== "/snap/signed" && response.status !== 401) {
    response.headers.set(HEADERS.creditsLimit, String(total));
    response.headers.set(HEADERS.creditsRemaining, String(remaining));
  }
  response.headers.set(HEADERS.requestId, requestId);
  return response;
}

function route(
  { method, path, query, headers, body }: RecordedRequest,
  dependencies: RouteDependencies,
): Response {
  const { renders, batches, documents } = dependencies;
  const ifNoneMatch = headers.get("If-None-Match");
  if (method === "GET" && path === "/snap/signed") {
    checkSignature(query, dependencies);
    const parameters = new URLSearchParams(query);
    for (const name of SIGNATURE_PARAMETERS) parameters.delete(name);
    return renders.respond(readParameters(parameters), { ifNoneMatch, isSigned: true });
  }
  if (headers.get("Authorization") !== `Bearer ${dependencies.token}`)
    throw new FailedRequest({ code: "unauthenticated" });
  const [, collection, id = "", ...action] = path.split("/");
  switch (id === "" ? `${method} ${path}` : [`${method} /${collection}/{id}`, ...action].join("/")) {
    case "GET /snap":
      return capture(readParameters(query), ifNoneMatch, dependencies);
    case "POST /captures":
      return capture(parse(body), ifNoneMatch, dependencies);
    case "GET /usage":
      return Response.json({
        credits: renders.credits,
        plan: null,
        period: null,
        rate_limit: {
          requests_per_minute: RENDERS_PER_MINUTE,
          cached_requests_per_minute: LIMITS.cachedRequestsPerMinute,
        },
      });
    case "POST /renders":
      return Response.json(batches.submit(parse(body), headers.get(REQUEST_HEADERS.idempotencyKey)), {
        status: 202,
      });
    case "GET /renders/{id}":
      return Response.json(batches.poll(id));
    case "POST /documents":
      return Response.json(documents.create(body, headers, query), { status: 201 });
    case "GET /documents/{id}":
      return Response.json(documents.get(id));
    case "DELETE /documents/{id}":
      documents.delete(id);
      return new Response(null, { status: 204 });
    default:
      throw new FailedRequest({ code: "not_found", message: `The fake service has no ${method} ${path}.` });
  }
}

/** Returns the file, or its metadata. */
function capture(
  { answer, ...parameters }: { readonly answer?: unknown },
  ifNoneMatch: string | null,
  { renders, signer, now }: RouteDependencies,
): Response {
  if (answer !== "json") return renders.respond(parameters, { ifNoneMatch, isSigned: false });
  return renders.respondWithFacts(parameters, { signer, now });
}

/** Reads parameters from a query, each according to its kind. */
function readParameters(query: URLSearchParams): object {
  const mode = modeOf({ pdf: fromText("flag", query.get("pdf") ?? "") });
  const rows: Readonly<Record<string, ParameterRow | undefined>> = PARAMETERS[mode];
  return Object.fromEntries(Array.from(query, ([name, text]) => [name, fromText(rows[name]?.kind, text)]));
}

function checkSignature(query: URLSearchParams, { signer, now }: RouteDependencies): void {
  const signature = query.get("signature") ?? "";
  const isValid =
    query.get("tokenId") === String(signer.tokenId) &&
    verifyQuery(
      [...query].filter(([name]) => name !== "signature"),
      { signature, signingSecret: signer.signingSecret },
    );
  if (!isValid) throw new FailedRequest({ code: "invalid_signature" });
  if (Number(query.get("expires") ?? Number.POSITIVE_INFINITY) * 1000 <= now())
    throw new FailedRequest({ code: "signed_url_expired" });
}

/** @throws FailedRequest for text that is not JSON. */
function parse(body: string): object {
  try {
    return { ...(JSON.parse(body) as object) };
  } catch {
    throw new FailedRequest({ code: "validation_failed", message: "The body must be a JSON object." });
  }
}
