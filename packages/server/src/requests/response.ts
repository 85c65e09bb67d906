import { HEADERS } from "@snap/protocol";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { exchangeOf } from "./exchange.ts";

/** Sent with every response. */
export const COMMON_HEADERS = { "X-Content-Type-Options": "nosniff" } as const;

/** A response to send. `send` adds `Content-Length` if there is a body. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  /** Absent if the response has no content, such as a 304. */
  readonly body?: string | Uint8Array;
}

/** Headers of every response, with its request id. */
export function commonHeaders(response: ServerResponse): OutgoingHttpHeaders {
  return { [HEADERS.requestId]: exchangeOf(response).requestId, ...COMMON_HEADERS };
}

/** Sends a response. For HEAD, Node omits the body, and `Content-Length` stays. */
export function send(response: ServerResponse, { status, headers, body }: HttpResponse): void {
  const exchange = exchangeOf(response);
  exchange.status = status;
  if (response.headersSent) {
    // The response is partly sent: only a closed connection can signal the error.
    response.destroy();
  } else if (!response.destroyed) {
    const length = body === undefined ? {} : { "Content-Length": Buffer.byteLength(body) };
    if (response.req.method !== "HEAD") exchange.bytes = length["Content-Length"] ?? 0;
    response.emit("sending");
    response.writeHead(status, { ...commonHeaders(response), ...headers, ...length });
    response.end(body);
  }
  response.emit("sent");
}

/** @param location Relative, because a proxy may add a path prefix. */
export function redirect(location: string): HttpResponse {
  return { status: 308, headers: { Location: location, "Cache-Control": "no-cache" } };
}

export interface JsonOptions {
  /** 200 by default. */
  readonly status?: number;
  /** `no-store` by default. */
  readonly cacheControl?: string;
  /** In addition to those of every JSON document. */
  readonly headers?: OutgoingHttpHeaders;
}

/** A response with a JSON document. */
export function json(
  document: unknown,
  { status = 200, cacheControl = "no-store", headers = {} }: JsonOptions = {},
): HttpResponse {
  return {
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", "Cache-Control": cacheControl, ...headers },
    body: JSON.stringify(document),
  };
}
