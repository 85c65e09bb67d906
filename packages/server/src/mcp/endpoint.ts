import {
  createMcpHandler,
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from "@modelcontextprotocol/server";
import { SnapError } from "@snap/engine";
import { createPreviews } from "@snap/engine/internals";
import type { Request as ExpressRequest, RequestHandler } from "express";
import type { ServerResponse } from "node:http";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Logger } from "pino";
import { printable, shorten } from "../operations/printable.ts";
import { commonHeaders } from "../requests/response.ts";
import { credentialOf } from "../requests/credential.ts";
import type { CaptureDependencies } from "../requests/capture-page.ts";
import { exchangeOf, type Exchange } from "../requests/exchange.ts";
import { discardBody, invalidBody, readJson } from "../requests/request-body.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { INLINE_LIMITS } from "./results.ts";

export interface McpDependencies extends CaptureDependencies {
  readonly logger: Logger;
  /** Origin that clients use. */
  readonly publicUrl: string;
  /** Base of signed URLs; ends in `/v1`. */
  readonly baseUrl: string;
}

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions, for clients of older and newer
 * revisions. Protocol errors are reported as the protocol defines.
 *
 * Checks Host and Origin, as the protocol requires, against DNS rebinding and against pages from other sites.
 */
export function mcp({ logger, publicUrl, ...shared }: McpDependencies): RequestHandler {
  const { engine } = shared;
  const findPreview = createPreviews(INLINE_LIMITS);
  const hostnames = [...localhostAllowedHostnames(), new URL(publicUrl).hostname];
  return async (request, response) => {
    const exchange = exchangeOf(response);
    const disconnected = new AbortController();
    response.once("close", () => disconnected.abort());
    const problem = explainForeignName(request, { hostnames, publicUrl });
    if (problem !== null) {
      exchange.error = new SnapError("forbidden", problem, { detail: problem });
      await discardBody(request);
      await relay(response, rejection(problem));
      return;
    }
    const message = toWebRequest(request, { publicUrl, signal: disconnected.signal });
    const principal = await engine.authenticate(credentialOf(request));
    exchange.principal = principal;
    const parsedBody = requireOneMessage(await readJson(request));
    let pendingCall: Promise<unknown> = Promise.resolve();
    const onCall = (result: Promise<unknown>): void => void (pendingCall = result);
    const dependencies = { ...shared, principal, exchange, onCall, findPreview };
    const { fetch } = createMcpHandler(() => createMcpServer(dependencies), {
      // The list of tools never changes, so there is nothing to subscribe to.
      maxSubscriptions: 0,
      onerror: (error) => logger.debug({ request_id: exchange.requestId, err: error }, "protocol error"),
    });
    await relay(response, await fetch(message, { parsedBody }), () => pendingCall);
  };
}

/** A name has at most 253 characters, but anyone can send 64 KiB. */
const PROBLEM_CHARACTERS_MAX = 300;

/** Returns what is wrong with `Host` or `Origin`, and what to do; `null` if neither names a foreign host. */
function explainForeignName(
  { headers }: ExpressRequest,
  { hostnames, publicUrl }: { readonly hostnames: string[]; readonly publicUrl: string },
): string | null {
  const explain = (message: string, advice: string): string =>
    `${printable(shorten(message, PROBLEM_CHARACTERS_MAX))}. This service is at ${publicUrl}; ${advice}.`;
  const host = validateHostHeader(headers.host, hostnames);
  if (!host.ok)
    return explain(host.message, "to allow another host, its operator must change its SNAP_PUBLIC_URL");
  const origin = validateOriginHeader(headers.origin, hostnames);
  return origin.ok ? null : explain(origin.message, "pages of other sites cannot use it");
}

function rejection(message: string): Response {
  return Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status: 403 });
}

/**
 * One revision of the protocol allowed JSON-RPC batches. They would multiply the work of one request, and one message
 * could cancel a call in the same batch, which then never gets a response.
 */
function requireOneMessage(document: unknown): unknown {
  if (!Array.isArray(document)) return document;
  throw invalidBody("must be a single message; JSON-RPC batches are not supported");
}

/** The types of a response, which the library compares with `Accept` as text. */
const RESPONSE_TYPES = ["application/json", "text/event-stream"] as const;

/** Whether `Accept` covers both types, by name or with wildcards (RFC 9110, 12.5.1); weights are ignored. */
function acceptsBoth(accept: string): boolean {
  const ranges = new Set(accept.split(",").map((range) => range.replace(/;.*/s, "").trim().toLowerCase()));
  return RESPONSE_TYPES.every((type) =>
    [type, type.replace(/\/.*/, "/*"), "*/*"].some((range) => ranges.has(range)),
  );
}

/** Converts to a web `Request` without the body, which is read separately. */
function toWebRequest(
  { method, url, headers }: ExpressRequest,
  { publicUrl, signal }: { readonly publicUrl: string; readonly signal: AbortSignal },
): Request {
  const { accept = "*/*" } = headers;
  const sent = { ...headers, accept: acceptsBoth(accept) ? RESPONSE_TYPES.join(", ") : accept };
  const pairs = Object.entries(sent).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(new URL(url, publicUrl), { method, headers: pairs, signal });
}

/** Passes a body on, and adds its size to the exchange. */
function countBytes(exchange: Exchange): Transform {
  return new Transform({
    transform(part: Uint8Array, _encoding, done) {
      exchange.bytes += part.byteLength;
      done(null, part);
    },
  });
}

/**
 * Sends a web `Response`, whose body can be a long stream.
 *
 * @param outcome - Resolves when the call ends. It is awaited even if the client disconnects, for the log.
 */
async function relay(
  response: ServerResponse,
  webResponse: Response,
  outcome: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  if (!response.destroyed) {
    // Node manages the connection to the client itself (RFC 9110, 7.6.1).
    const { connection: _, ...headers } = Object.fromEntries(webResponse.headers);
    const caching = { "cache-control": "no-store, no-transform" };
    response.emit("sending");
    response.writeHead(webResponse.status, { ...commonHeaders(response), ...headers, ...caching });
    if (webResponse.body === null) response.end();
    // The pipeline fails if the client disconnects.
    else {
      const { body } = webResponse;
      const exchange = exchangeOf(response);
      await pipeline(Readable.fromWeb(body), countBytes(exchange), response).catch(() => {});
    }
  }
  await outcome();
  exchangeOf(response).status = webResponse.status;
  response.emit("sent");
}
