import {
  request as sendRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { parseTarget, type Target } from "../../targets/target.ts";
import { followResponse, type UpstreamAgent } from "./agent.ts";
import { forwardedHeaders, responseHeaders } from "./headers.ts";
import type { EgressSession } from "./egress-session.ts";

/** Chromium's own limit for response headers; requests with long URLs and cookies need the same. */
export const HEADER_BYTES_MAX = 256 * 1024;
/** A server needs one or two before its response, such as 103. */
const INTERIM_RESPONSES_MAX = 32;

interface Exchange {
  readonly session: EgressSession;
  readonly target: Target;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly isRetryable: boolean;
}

/**
 * Forwards a plain HTTP request in absolute form (RFC 9112, 3.2.2) and streams both bodies. A retryable request may
 * reuse an idle connection of the page; any other opens a new one. Every failure closes the client's connection.
 */
export function forward(session: EgressSession, request: IncomingMessage, response: ServerResponse): void {
  const drop = (): void => void request.socket.destroy();
  for (const message of [request, response]) message.on("error", drop);
  const target = isForwardable(request) ? parseTarget(request.url ?? "") : null;
  if (target === null) return drop();
  response.on("close", () => {
    if (!request.complete) drop(); // otherwise the rest of its body would be parsed as the next request
  });
  const exchange = { session, target, request, response, isRetryable: isRetryable(request) };
  send(exchange, exchange.isRetryable ? session.agent : null);
}

/** Only plain HTTP with an identity or chunked body; other transfer codings cannot be forwarded. */
function isForwardable({ url, headers }: IncomingMessage): boolean {
  const coding = headers["transfer-encoding"];
  return /^http:/i.test(url ?? "") && (coding === undefined || coding.toLowerCase() === "chunked");
}

/** Returns whether a request can be sent twice: its method is safe (RFC 9110, 9.2.1), and it has no body. */
function isRetryable({ method, headers }: IncomingMessage): boolean {
  const hasBody = headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
  return !hasBody && (method === "GET" || method === "HEAD" || method === "OPTIONS");
}

/** Sends the request through `agent`; if that is `null`, over a new connection that closes after the response. */
function send(exchange: Exchange, agent: UpstreamAgent | null): void {
  const { session, target, request, response } = exchange;
  const client = request.socket;
  const outgoing = createRequest(exchange, agent);
  const frame = followResponse(outgoing, (upstream) => session.count(upstream, target));
  let problem: string | undefined;
  let interimResponses = 0;
  outgoing.on("information", () => {
    interimResponses += 1;
    if (interimResponses > INTERIM_RESPONSES_MAX) rejectResponse(exchange, "too many interim responses");
  });
  outgoing.on("response", (received) => {
    countPieces(received, exchange);
    relay(received, exchange);
  });
  outgoing.on("error", (error: NodeJS.ErrnoException) => (problem = error.code)); // `close` follows
  outgoing.on("close", () => {
    if (frame.response !== null) return;
    // a server may close an idle connection at the moment it is reused (RFC 9112, 9.3.1)
    const isStale = outgoing.reusedSocket && frame.isEmpty;
    if (isStale && !client.destroyed) send(exchange, null);
    else if (frame.isEmpty) client.destroy();
    else rejectResponse(exchange, problem);
  });
  response.on("close", () => outgoing.destroy()); // no effect once the connection is back in the agent
  if (exchange.isRetryable) {
    outgoing.end();
    return;
  }
  outgoing.once("socket", (upstream) => {
    request.pipe(outgoing);
    request.on("data", () => session.count(upstream, target));
  });
}

/** Closes the client's connection, because an error response would be rendered as if it came from the target. */
function rejectResponse({ session, target, request }: Exchange, problem = "incomplete"): void {
  if (!request.socket.destroyed) session.rejectResponse(target, `invalid response: ${problem}`);
  request.socket.destroy();
}

/** Counts on arrival: of a response that the client does not read, Node stores up to 64 KiB, each chunk separately. */
function countPieces(received: IncomingMessage, { session, target }: Exchange): void {
  const push = received.push.bind(received);
  received.push = (piece: Buffer | null) => {
    if (piece !== null) session.countPiece(piece.length, target);
    return session.overflow.aborted ? false : push(piece);
  };
}

function createRequest({ session, target, request }: Exchange, agent: UpstreamAgent | null): ClientRequest {
  const client = request.socket;
  const headers = forwardedHeaders(request.rawHeaders, target.host);
  if (request.headers["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
  return sendRequest({
    ...(agent !== null && { agent }),
    createConnection(_options, onConnected) {
      // a rejection closes the client's connection, which ends the request
      session
        .dial(target, client)
        .then((upstream) => upstream && onConnected(null, upstream))
        .catch(() => client.destroy());
      return null;
    },
    host: target.hostname,
    port: target.port,
    method: request.method ?? "GET",
    path: originForm(request.url ?? ""),
    headers,
    maxHeaderSize: HEADER_BYTES_MAX,
    // Chromium's parser is just as lenient; `relay` frames the response again, and the connection belongs to this page
    insecureHTTPParser: true,
  });
}

/** Returns the path and query unchanged, byte for byte (RFC 9110, 7.7). */
function originForm(url: string): string {
  const [, rest = ""] = /^http:\/+[^/?#]*([^#]*)/i.exec(url) ?? [];
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function relay(upstreamResponse: IncomingMessage, exchange: Exchange): void {
  const { response } = exchange;
  response.sendDate = false;
  try {
    response.writeHead(
      upstreamResponse.statusCode ?? 0,
      upstreamResponse.statusMessage ?? "",
      responseHeaders(upstreamResponse.rawHeaders),
    );
  } catch (error) {
    rejectResponse(exchange, (error as NodeJS.ErrnoException).code); // an invalid status or header field
    return;
  }
  upstreamResponse.pipe(response);
  upstreamResponse.on("error", () => response.destroy()); // a truncated body stays truncated
}
