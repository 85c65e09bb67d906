import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { SnapError } from "@snap/engine";
import type { Request as ExpressRequest, RequestHandler } from "express";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Logger } from "pino";
import { commonHeaders } from "../requests/answer.ts";
import { credentialOf } from "../requests/credential.ts";
import type { CaptureDoor } from "../requests/capture-page.ts";
import { exchangeOf } from "../requests/exchange.ts";
import { discardBody, readJson } from "../requests/request-body.ts";
import { createMcpServer } from "./create-mcp-server.ts";

/** What the endpoint works with. */
export interface McpDoor extends CaptureDoor {
  readonly logger: Logger;
  /** The origin that clients use. */
  readonly publicUrl: string;
}

/**
 * `POST /mcp`: the Model Context Protocol over streamable HTTP, without sessions, for clients of the
 * older revisions and of the newer. The tools are a door to `capture()` like any other; faults of the
 * protocol are answered as the protocol says.
 *
 * Browsers are kept out as the protocol demands: a page whose name was made to lead here has another
 * Host, a page of another site another Origin.
 */
export function mcp({ engine, metrics, logger, publicUrl }: McpDoor): RequestHandler {
  const hostnames = [...localhostAllowedHostnames(), new URL(publicUrl).hostname];
  return async (request, response) => {
    const exchange = exchangeOf(response);
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const message = toWebRequest(request, { publicUrl, signal: gone.signal });
    const refused =
      hostHeaderValidationResponse(message, hostnames) ?? originValidationResponse(message, hostnames);
    if (refused !== undefined) {
      await discardBody(request);
      await relay(response, refused);
      return;
    }
    const principal = await engine.authenticate(credentialOf(request));
    exchange.principal = principal;
    const parsedBody = requireOneMessage(await readJson(request));
    let called: Promise<unknown> = Promise.resolve();
    const onCall = (work: Promise<unknown>): void => void (called = work);
    const door = { engine, metrics, principal, exchange, baseUrl: `${publicUrl}/v1`, onCall };
    const { fetch } = createMcpHandler(() => createMcpServer(door), {
      // Nothing that could be subscribed to ever changes.
      maxSubscriptions: 0,
      onerror: (error) => logger.debug({ request_id: exchange.requestId, err: error }, "protocol error"),
    });
    await relay(response, await fetch(message, { parsedBody }), () => called);
  };
}

/**
 * One revision of the protocol let a request carry a list of messages. A list would multiply what one
 * request may ask for, and a call in it can be cancelled by its neighbour and never be answered.
 */
function requireOneMessage(document: unknown): unknown {
  if (!Array.isArray(document)) return document;
  const fault = "must be a single message; JSON-RPC batches are not supported";
  throw new SnapError("validation_failed", `The request body ${fault}`, { errors: { body: [fault] } });
}

/** Without its body, which is read apart. Clients that take anything take events, too. */
function toWebRequest(
  { method, url, headers }: ExpressRequest,
  { publicUrl, signal }: { readonly publicUrl: string; readonly signal: AbortSignal },
): Request {
  const accept = headers.accept ?? "*/*";
  const sent = { ...headers, accept: accept === "*/*" ? "application/json, text/event-stream" : accept };
  const pairs = Object.entries(sent).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(new URL(url, publicUrl), { method, headers: pairs, signal });
}

/**
 * Sends an answer that is a web `Response`; its body may be a stream that goes on for a while.
 *
 * @param outcome What the answer is about. It may go on when the client has gone, and is then waited
 * for, so that the log has it.
 */
async function relay(
  response: ServerResponse,
  answer: Response,
  outcome: () => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  if (!response.destroyed) {
    // What concerns the connection is between Node and the client (RFC 9110, 7.6.1).
    const { connection: _, ...headers } = Object.fromEntries(answer.headers);
    const caching = { "cache-control": "no-store, no-transform" };
    response.emit("answering");
    response.writeHead(answer.status, { ...commonHeaders(response), ...headers, ...caching });
    if (answer.body === null) response.end();
    // A client that has gone ends the pipeline early: nobody is left to be told.
    else await pipeline(Readable.fromWeb(answer.body), response).catch(() => {});
  }
  await outcome();
  exchangeOf(response).status = answer.status;
  response.emit("answered");
}
