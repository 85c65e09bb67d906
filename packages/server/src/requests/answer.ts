import { HEADERS } from "@snap/protocol";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { exchangeOf } from "./exchange.ts";

/** On every answer, whoever gives it. */
export const COMMON_HEADERS = { "X-Content-Type-Options": "nosniff" } as const;

/** An answer as it goes out, `Content-Length` aside. */
export interface Answer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Absent where a status has none: 204 and 304. */
  readonly body?: string | Uint8Array;
}

/** What every answer carries. */
export function commonHeaders(response: ServerResponse): OutgoingHttpHeaders {
  return { [HEADERS.requestId]: exchangeOf(response).requestId, ...COMMON_HEADERS };
}

/** Sends an answer. Node itself leaves the body out for HEAD; its length is told all the same. */
export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  exchangeOf(response).status = status;
  if (response.headersSent) {
    // Half an answer is out: only a broken connection tells the client.
    response.destroy();
  } else if (!response.destroyed) {
    const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
    response.emit("answering");
    response.writeHead(status, { ...commonHeaders(response), ...headers, ...length });
    response.end(body);
  }
  response.emit("answered");
}

/** A JSON document. */
export function json(document: unknown, cacheControl = "no-store", status = 200): Answer {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", "Cache-Control": cacheControl },
    body: JSON.stringify(document),
  };
}
