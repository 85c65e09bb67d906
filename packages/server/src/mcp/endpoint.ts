import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Request as ExpressRequest, RequestHandler } from "express";
import type { Logger } from "pino";
import { authenticate } from "../http/bearer.ts";
import type { CaptureDoor } from "../http/capture-page.ts";
import { exchangeOf } from "../http/exchange.ts";
import { discardBody, readBody } from "../http/request-body.ts";
import { createMcpServer } from "./create-mcp-server.ts";
import { relay } from "./relay.ts";
import { requireFewMessages } from "./require-few-messages.ts";

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
    const head = toWebRequest(request, { publicUrl });
    const refused =
      hostHeaderValidationResponse(head, hostnames) ?? originValidationResponse(head, hostnames);
    if (refused !== undefined) {
      await discardBody(request);
      await relay(response, refused);
      return;
    }
    const principal = await authenticate(engine, request);
    exchange.principal = principal;
    const body = new Uint8Array(await readBody(request));
    requireFewMessages(body);
    const { fetch } = createMcpHandler(
      () => createMcpServer({ engine, metrics, principal, exchange, baseUrl: `${publicUrl}/v1` }),
      {
        // Nothing that could be subscribed to ever changes.
        maxSubscriptions: 0,
        onerror: (error) => logger.debug({ request_id: exchange.requestId, err: error }, "protocol fault"),
      },
    );
    await relay(response, await fetch(toWebRequest(request, { publicUrl, body, signal: gone.signal })));
  };
}

function toWebRequest(
  { method, url, headers }: ExpressRequest,
  {
    publicUrl,
    ...rest
  }: { readonly publicUrl: string; readonly body?: Uint8Array<ArrayBuffer>; readonly signal?: AbortSignal },
): Request {
  const pairs = Object.entries(headers).map(([name, value]) => [name, String(value)] as [string, string]);
  return new Request(new URL(url, publicUrl), { method, headers: pairs, ...rest });
}
