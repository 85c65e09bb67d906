import { SnapError } from "@snap/engine";
import { HEADERS, type ErrorCode } from "@snap/protocol";
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { plainAddress } from "../requests/caller.ts";
import { COMMON_HEADERS } from "../requests/response.ts";
import { HTTP_LIMITS } from "../requests/limits.ts";
import { errorResponse } from "./envelope.ts";

/** Error codes of Node's HTTP parser and timeouts; every other code is `bad_request`. */
const PROTOCOL_ERRORS: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map(
  Object.entries<readonly [ErrorCode, string]>({
    HPE_HEADER_OVERFLOW: [
      "request_header_fields_too_large",
      "Request line and headers too large (limit 64 KiB), or too many headers; send long parameters as JSON, with POST /v1/captures or in a batch.",
    ],
    HPE_CHUNK_EXTENSIONS_OVERFLOW: ["payload_too_large", "Chunk extensions too large; send none."],
    ERR_HTTP_REQUEST_TIMEOUT: [
      "request_timeout",
      `The request did not arrive in time (limit ${HTTP_LIMITS.requestMs / 1000} seconds, ` +
        `${HTTP_LIMITS.headersMs / 1000} for its headers); send it again, or a smaller one.`,
    ],
  }),
);

/** An error of Node's HTTP parser, with the position in the last packet received. */
export type ParserError = Error & {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
};

/** The method is any token (RFC 9110, 5.6.2). */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]+ \S+ HTTP\/1\.[01]\r?\n/;

/** Returns whether a well-formed request line has a method that Node's parser does not know. */
export function hasUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParserError): boolean {
  if (code !== "HPE_INVALID_METHOD" || rawPacket === undefined) return false;
  const lineStart = rawPacket.subarray(0, bytesParsed).lastIndexOf("\n") + 1;
  return REQUEST_LINE.test(rawPacket.toString("latin1", lineStart));
}

/** Converts an error of Node's HTTP parser to a `SnapError`. */
export function toProtocolError(error: ParserError): SnapError {
  const [code, message] = PROTOCOL_ERRORS.get(error.code ?? "") ?? [
    "bad_request",
    "Malformed HTTP request; check the request line and the headers, and percent-encode spaces and non-ASCII characters in the URL.",
  ];
  return new SnapError(code, message, { detail: `${error.code ?? ""} ${error.message}`.trim() });
}

/**
 * Responds on the socket itself, without a `ServerResponse`, and closes it. Keeps receiving for a
 * moment: closing immediately would reset the connection before the client reads the response.
 */
export function rejectSocket(
  socket: Duplex,
  { error, logger, headers = {} }: { error: SnapError; logger: Logger; headers?: Record<string, string> },
): void {
  if (socket.writableEnded || socket.destroyed) return;
  const requestId = randomUUID();
  const { status, code, detail } = error;
  const client = plainAddress((socket as Socket).remoteAddress ?? "");
  logger.info({ request_id: requestId, status, code, detail, client }, "rejected");
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const response = errorResponse(error, requestId);
  const body = String(response.body);
  const lines = Object.entries({
    Date: new Date().toUTCString(),
    ...COMMON_HEADERS,
    [HEADERS.requestId]: requestId,
    ...response.headers,
    ...headers,
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  }).map(([name, value]) => `${name}: ${String(value)}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", body].join("\r\n"));
  setTimeout(() => socket.destroy(), HTTP_LIMITS.closeMs).unref();
}
