import type { SnapError } from "@snap/engine";
import { toSnapError } from "@snap/engine/internals";
import { HEADERS, type ErrorEnvelope } from "@snap/protocol";
import type { OutgoingHttpHeaders } from "node:http";
import { json, type HttpResponse } from "../requests/response.ts";
import type { Exchange } from "../requests/exchange.ts";

/** The error envelope, without `detail` and `cause`, which are for the log. */
export function errorResponse(error: SnapError, requestId: string): HttpResponse {
  const { code, message, errors, status } = error;
  const envelope: ErrorEnvelope = { code, message, ...(errors && { errors }), request_id: requestId };
  return json(envelope, { status, headers: errorHeaders(error) });
}

/** Converts anything thrown to an error response, and records the error for the log. */
export function failureResponse(exchange: Exchange, thrown: unknown): HttpResponse {
  const error = toSnapError(thrown);
  exchange.code = error.code;
  exchange.error = error;
  return errorResponse(error, exchange.requestId);
}

function errorHeaders({ status, retryAfterSeconds, notes }: SnapError): OutgoingHttpHeaders {
  return {
    ...(notes.length > 0 && { [HEADERS.renderNotes]: notes.join(", ") }),
    ...(retryAfterSeconds !== undefined && { [HEADERS.retryAfter]: retryAfterSeconds }),
    // The rest of the request may be unread.
    ...((status === 400 || status === 413) && { Connection: "close" }),
    // A 401 must name the scheme (RFC 9110, 15.5.2).
    ...(status === 401 && { "WWW-Authenticate": 'Bearer realm="snap"' }),
  };
}
