import {
  request as sendRequest,
  type ClientRequest,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { parseTarget, type Target } from "../target/parse-target.ts";
import { endToEndHeaders, forwardedHeaders } from "./egress-headers.ts";
import type { LaneAccount } from "./egress-lane.ts";

/** As much as Chromium itself takes of an answer's headers; long addresses and cookies need room. */
export const HEADER_BYTES_MAX = 256 * 1024;

/**
 * Forwards a plain HTTP request in absolute form (RFC 9112, 3.2.2) over a connection of its own, and
 * streams both bodies. Whatever goes wrong drops the client's connection.
 */
export async function forward(
  lane: LaneAccount,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const client = request.socket;
  const drop = (): void => void client.destroy();
  for (const message of [request, response]) message.on("error", drop);
  const target = isForwardable(request) ? parseTarget(request.url ?? "") : null;
  if (target === null) return drop();
  const upstream = await lane.dial(target, client);
  if (upstream === null) return;

  response.on("close", () => {
    upstream.destroy();
    if (!request.complete) drop(); // the rest of its body would be read as the next request
  });
  const outgoing = send(request, target, upstream);
  outgoing.once("socket", () => lane.meter(upstream, target));
  lane.meter(request, target);
  request.pipe(outgoing);

  let isAnswered = false;
  const dropUnanswered = (): void => void (isAnswered || drop());
  outgoing.on("error", dropUnanswered);
  outgoing.on("close", dropUnanswered);
  outgoing.on("response", (answer) => {
    isAnswered = true;
    relay(answer, response);
  });
}

/** Plain HTTP only, and a body that comes as it is or chunked: other codings can't be passed on. */
function isForwardable({ url, headers }: IncomingMessage): boolean {
  const coding = headers["transfer-encoding"];
  return /^http:/i.test(url ?? "") && (coding === undefined || coding.toLowerCase() === "chunked");
}

function send(request: IncomingMessage, target: Target, upstream: Socket): ClientRequest {
  const headers = forwardedHeaders(request.rawHeaders, target.host);
  if (request.headers["transfer-encoding"] !== undefined) headers.push("Transfer-Encoding", "chunked");
  return sendRequest({
    createConnection: () => upstream,
    method: request.method ?? "GET",
    path: originForm(request.url ?? ""),
    headers,
    maxHeaderSize: HEADER_BYTES_MAX,
  });
}

/** The path and query as they were sent, byte for byte (RFC 9110, 7.7). */
function originForm(url: string): string {
  const [, rest = ""] = /^http:\/+[^/?#]*([^#]*)/i.exec(url) ?? [];
  return rest.startsWith("/") ? rest : `/${rest}`;
}

function relay(answer: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  try {
    response.writeHead(
      answer.statusCode ?? 0,
      answer.statusMessage ?? "",
      endToEndHeaders(answer.rawHeaders),
    );
  } catch {
    response.destroy(); // a status or a field that can't be said in HTTP
    return;
  }
  pipeline(answer, response, () => {}); // a body cut short cuts the client's short too
}
