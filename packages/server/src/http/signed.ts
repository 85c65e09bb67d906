import type { Capture, SignedRequest } from "@snap/engine";
import { parseIfNoneMatch } from "@snap/protocol";
import type { RequestHandler } from "express";
import { send, type HttpResponse } from "../requests/response.ts";
import { captureFile, type CaptureDependencies } from "../requests/capture-page.ts";
import { failureResponse } from "./envelope.ts";
import { exchangeOf } from "../requests/exchange.ts";
import { renderingResponse } from "./rendering-response.ts";
import { rawQueryOf } from "../requests/request-target.ts";

/** Pages from any origin may embed a signed rendering, and their scripts may read it. */
const CROSS_ORIGIN_HEADERS = {
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
} as const;

/** For scripts from other origins that send `If-None-Match` (Fetch standard, CORS-preflight). */
export const SIGNED_PREFLIGHT = {
  ...CROSS_ORIGIN_HEADERS,
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "If-None-Match",
  "Access-Control-Max-Age": 86_400,
} as const;

/**
 * `GET /snap/signed`: authenticates by the URL's signature and ignores a bearer token. The response has no credit or
 * rate-limit headers, because anyone can see the URL.
 */
export function signedSnap(dependencies: CaptureDependencies): RequestHandler {
  return async (request, response) => {
    const exchange = exchangeOf(response);
    const respond = async (): Promise<HttpResponse> => {
      const signed = await dependencies.engine.authenticateSigned(rawQueryOf(request.url));
      const { principal, parameters } = signed;
      exchange.principal = principal;
      const holds = parseIfNoneMatch(request.headers["if-none-match"]);
      const page = { exchange, principal, parameters, holds, entryPoint: "signed" } as const;
      const capture = await captureFile(dependencies, page);
      return renderingResponse(capture, { "Cache-Control": cacheControl(capture, signed) });
    };
    const { headers, ...rest } = await respond().catch((error: unknown) => failureResponse(exchange, error));
    send(response, { ...rest, headers: { ...headers, ...CROSS_ORIGIN_HEADERS } });
  };
}

/** Cacheable until the rendering or the URL expires, whichever comes first. */
function cacheControl({ cache, rendering, respondedAt }: Capture, { expiresAt }: SignedRequest): string {
  if (cache === "bypass") return "no-store";
  const lifeSeconds = Math.ceil((rendering.expiresAt - respondedAt) / 1000);
  const urlSeconds = expiresAt === null ? lifeSeconds : Math.floor((expiresAt - respondedAt) / 1000);
  return `public, max-age=${Math.max(0, Math.min(lifeSeconds, urlSeconds))}`;
}
