import type { SnapError } from "@snap/engine";
import { toSnapError } from "@snap/engine/internals";
import { HEADERS, type ErrorEnvelope } from "@snap/protocol";
import type { OutgoingHttpHeaders } from "node:http";
import { json, type Answer } from "../requests/answer.ts";
import type { Exchange } from "../requests/exchange.ts";

/** The envelope of an error (interface.md, Error envelope): nothing of `detail` or `cause` is in it. */
export function errorAnswer(error: SnapError, requestId: string): Answer {
  const { code, message, errors, status } = error;
  const envelope: ErrorEnvelope = { code, message, ...(errors && { errors }), request_id: requestId };
  const answer = json(envelope, "no-store", status);
  return { ...answer, headers: { ...answer.headers, ...errorHeaders(error) } };
}

/** The answer to whatever was thrown; what the caller may not read is left to the log. */
export function failureAnswer(exchange: Exchange, thrown: unknown): Answer {
  const error = toSnapError(thrown);
  exchange.code = error.code;
  exchange.error = error;
  return errorAnswer(error, exchange.requestId);
}

function errorHeaders({ status, retryAfterSeconds }: SnapError): OutgoingHttpHeaders {
  return {
    ...(retryAfterSeconds !== undefined && { [HEADERS.retryAfter]: retryAfterSeconds }),
    // The rest of the request isn't read.
    ...((status === 400 || status === 413) && { Connection: "close" }),
    // RFC 9110, 15.5.2: a 401 names the scheme.
    ...(status === 401 && { "WWW-Authenticate": 'Bearer realm="snap"' }),
  };
}
