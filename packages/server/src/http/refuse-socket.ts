import { SnapError } from "@snap/engine";
import { HEADERS, type ErrorCode } from "@snap/protocol";
import { randomUUID } from "node:crypto";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Logger } from "pino";
import { COMMON_HEADERS } from "../requests/answer.ts";
import { HTTP_BOUNDS } from "../requests/bounds.ts";
import { errorAnswer } from "./envelope.ts";

/** What Node's HTTP parser and its time limits report; everything else is `bad_request`. */
const PROTOCOL_ERRORS: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map(
  Object.entries<readonly [ErrorCode, string]>({
    HPE_HEADER_OVERFLOW: [
      "request_header_fields_too_large",
      "Request line and headers too large (limit 64 KiB).",
    ],
    HPE_CHUNK_EXTENSIONS_OVERFLOW: ["payload_too_large", "Chunk extensions too large; send none."],
    ERR_HTTP_REQUEST_TIMEOUT: ["request_timeout", "The request did not arrive in time; send it again."],
  }),
);

/** An error of Node's HTTP parser as an error of the contract. */
export function toProtocolError(error: Error & { code?: string }): SnapError {
  const [code, message] = PROTOCOL_ERRORS.get(error.code ?? "") ?? [
    "bad_request",
    "Malformed HTTP request; check the request line and the headers.",
  ];
  return new SnapError(code, message, { detail: `${error.code ?? ""} ${error.message}`.trim() });
}

/**
 * Answers where there is no response to answer with, and closes the connection. What the client still
 * sends is let in for a moment: a reset would take the answer from it.
 */
export function refuseSocket(
  socket: Duplex,
  { error, logger, headers = {} }: { error: SnapError; logger: Logger; headers?: Record<string, string> },
): void {
  if (socket.writableEnded) return;
  const requestId = randomUUID();
  const { status, code, detail } = error;
  logger.info({ request_id: requestId, status, code, detail }, "refused");
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const answer = errorAnswer(error, requestId);
  const body = String(answer.body);
  const lines = Object.entries({
    Date: new Date().toUTCString(),
    ...COMMON_HEADERS,
    [HEADERS.requestId]: requestId,
    ...answer.headers,
    ...headers,
    "Content-Length": Buffer.byteLength(body),
    Connection: "close",
  }).map(([name, value]) => `${name}: ${String(value)}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", body].join("\r\n"));
  setTimeout(() => socket.destroy(), HTTP_BOUNDS.closeMs).unref();
}
