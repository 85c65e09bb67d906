import type { Socket } from "node:net";
import type { ConnectionTransport } from "puppeteer";
import { WebSocket } from "ws";
import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { describe } from "../describe.ts";
import { readErrorBody } from "./resolve-endpoint.ts";
import { BrowserUnavailable, explainRefusal } from "./browser-unavailable.ts";
import { MESSAGE_MAX_BYTES } from "./pipe-transport.ts";

interface Message {
  readonly method?: unknown;
  readonly params?: unknown;
}

/**
 * Returns whether Puppeteer can handle a message of a remote browser. It processes target events asynchronously, and
 * an unhandled rejection from a malformed one would terminate this process.
 */
function isWellFormed(text: string): boolean {
  const message: unknown = JSON.parse(text);
  if (!isRecord(message)) return false;
  const { method, params }: Message = message;
  if (typeof method !== "string" || !method.startsWith("Target.")) return true;
  if (!isRecord(params)) return false;
  const { sessionId, targetInfo } = params;
  switch (method) {
    case "Target.attachedToTarget":
      return typeof sessionId === "string" && isTargetInfo(targetInfo);
    case "Target.targetCreated":
    case "Target.targetInfoChanged":
      return isTargetInfo(targetInfo);
    default:
      return true;
  }
}

function isTargetInfo(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return ["targetId", "type", "url"].every((name) => typeof value[name] === "string");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An open socket and its addresses. */
export interface OpenWebSocket {
  readonly socket: WebSocket;
  /** IP addresses of both ends; they decide which clients may use the egress proxies. */
  readonly remoteAddress: string;
  readonly localAddress: string;
}

/**
 * Opens a WebSocket to a remote browser. Does not follow redirects, because the URL may contain secrets.
 *
 * @throws BrowserUnavailable with the reason.
 */
export function openWebSocket(
  url: URL,
  { origin }: Pick<BrowserEndpoint, "origin">,
  signal: AbortSignal,
): Promise<OpenWebSocket> {
  const socket = new WebSocket(url, {
    followRedirects: false,
    perMessageDeflate: false,
    skipUTF8Validation: true, // JSON.parse rejects what matters
    maxPayload: MESSAGE_MAX_BYTES,
    rejectUnauthorized: true,
  });
  return new Promise((resolve, reject) => {
    let connection: Pick<Socket, "remoteAddress" | "localAddress"> | undefined;
    const fail = (reason: unknown): void => {
      signal.removeEventListener("abort", abort);
      reject(reason);
      socket.terminate();
    };
    const abort = (): void => fail(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    socket.on("error", (error) =>
      fail(new BrowserUnavailable(`${origin} can't be reached: ${describe(error)}`)),
    );
    socket.once("upgrade", (response) => (connection = response.socket));
    socket.once("unexpected-response", (_request, response) => {
      const { statusCode: status = 0, headers } = response;
      void readErrorBody(response).then((body) =>
        fail(explainRefusal({ origin, status, retryAfter: headers["retry-after"], body })),
      );
    });
    socket.once("open", () => {
      signal.removeEventListener("abort", abort);
      const { remoteAddress = "", localAddress = "" } = connection ?? {};
      resolve({ socket, remoteAddress, localAddress });
    });
  });
}

/** The DevTools protocol over a WebSocket, one text message each. A malformed message closes the connection. */
export function openWebSocketTransport(socket: WebSocket): ConnectionTransport {
  const close = (): void => socket.terminate();
  const transport: ConnectionTransport = {
    send: (message) => socket.send(message, () => {}), // a failure also emits `close`
    close,
  };
  const receive = async (text: string): Promise<void> => {
    if (!isWellFormed(text)) return close();
    // Puppeteer's handler is asynchronous and rejects for a message that it cannot process
    const handled: unknown = transport.onmessage?.(text);
    await handled;
  };
  socket.on("message", (data) => {
    receive((data as Buffer).toString("utf8")).catch(close);
  });
  socket.once("close", () => transport.onclose?.());
  return transport;
}
