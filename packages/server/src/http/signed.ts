import type { Capture, SignedRequest } from "@snap/engine";
import type { RequestHandler } from "express";
import { send, type Answer } from "../requests/answer.ts";
import { capturePage, type CaptureDoor } from "../requests/capture-page.ts";
import { heldTags } from "./entity-tags.ts";
import { failureAnswer } from "./envelope.ts";
import { exchangeOf } from "../requests/exchange.ts";
import { renderingAnswer } from "./rendering-answer.ts";
import { queryOf } from "../requests/request-target.ts";

/** A rendering embeds in pages of any origin, and their scripts may read it (docs/decisions/signed-urls.md). */
const CROSS_ORIGIN = {
  "Cross-Origin-Resource-Policy": "cross-origin",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "*",
} as const;

/** For scripts of other origins that send `If-None-Match` (Fetch standard, CORS-preflight). */
export const SIGNED_PREFLIGHT = {
  ...CROSS_ORIGIN,
  "Access-Control-Allow-Methods": "GET, HEAD",
  "Access-Control-Allow-Headers": "If-None-Match",
  "Access-Control-Max-Age": 86_400,
} as const;

/**
 * `GET /snap/signed`: the door for those who have no token but a URL that was signed with one. A
 * bearer token that is sent all the same is not looked at. Credits and limits stay between the
 * service and the owner of the token: no header tells of them.
 */
export function signedSnap(door: CaptureDoor): RequestHandler {
  return async (request, response) => {
    const exchange = exchangeOf(response);
    const answer = async (): Promise<Answer> => {
      const signed = await door.engine.authenticateSigned(queryOf(request.url));
      const { principal, parameters } = signed;
      exchange.principal = principal;
      const holds = heldTags(request.headers["if-none-match"]);
      const capture = await capturePage(door, { exchange, principal, parameters, holds });
      return renderingAnswer(capture, { "Cache-Control": cacheControl(capture, signed) });
    };
    const { headers, ...rest } = await answer().catch((error: unknown) => failureAnswer(exchange, error));
    send(response, { ...rest, headers: { ...headers, ...CROSS_ORIGIN } });
  };
}

/** What is left of the rendering's life, and of the URL's. */
function cacheControl({ cache, rendering, respondedAt }: Capture, { expiresAt }: SignedRequest): string {
  if (cache === "bypass") return "no-store";
  const lifeSeconds = Math.ceil((rendering.expiresAt - respondedAt) / 1000);
  const urlSeconds = expiresAt === null ? lifeSeconds : Math.floor((expiresAt - respondedAt) / 1000);
  return `public, max-age=${Math.max(0, Math.min(lifeSeconds, urlSeconds))}`;
}
