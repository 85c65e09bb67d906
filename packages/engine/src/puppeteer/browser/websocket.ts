import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { WebSocket } from "ws";
import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { describe } from "../describe.ts";
import { readErrorBody } from "./resolve-endpoint.ts";
import { BrowserUnavailable, explainResponse } from "./browser-unavailable.ts";
import { ProtocolTransport } from "./protocol-transport.ts";

/**
 * A longer message would close the connection and every page with it. The largest screenshot, 100 million pixels of
 * noise in base64, is 509 MiB.
 */
const MESSAGE_MAX_BYTES = 640 * 1024 * 1024;
/** Decoding this much takes about a millisecond. */
const SLICE_BYTES = 1024 * 1024;
const END_OF_MESSAGE = Buffer.from([0]);

interface Message {
  readonly method?: unknown;
  readonly params?: unknown;
}

/**
 * Returns whether Puppeteer can handle a message from a remote browser. Puppeteer processes target events
 * asynchronously, and an unhandled rejection from a malformed one would terminate this process.
 *
 * @throws SyntaxError if the message is not JSON.
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
 * Opens a WebSocket to a remote browser. It does not follow redirects, because the URL may contain secrets.
 *
 * @throws BrowserUnavailable with the reason, or the reason of `signal` once it is aborted.
 */
export function openWebSocket(
  url: URL,
  { origin }: Pick<BrowserEndpoint, "origin">,
  signal: AbortSignal,
): Promise<OpenWebSocket> {
  signal.throwIfAborted();
  const socket = new WebSocket(url, {
    followRedirects: false,
    perMessageDeflate: false,
    skipUTF8Validation: true, // invalid bytes become U+FFFD
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
      fail(new BrowserUnavailable(`${origin} cannot be reached: ${describe(error)}`)),
    );
    socket.once("upgrade", (response) => (connection = response.socket));
    socket.once("unexpected-response", (_request, response) => {
      const { statusCode: status = 0, headers } = response;
      void readErrorBody(response).then((body) =>
        fail(explainResponse({ origin, status, retryAfter: headers["retry-after"], body })),
      );
    });
    socket.once("open", () => {
      signal.removeEventListener("abort", abort);
      const { remoteAddress = "", localAddress = "" } = connection ?? {};
      resolve({ socket, remoteAddress, localAddress });
    });
  });
}

/**
 * The DevTools protocol over a WebSocket, with one text message per protocol message. A malformed message closes the
 * connection, unless it is discarded unparsed. A message is available only once all of it has arrived; a long one is
 * then read in slices, so that it does not block this process.
 */
export function openWebSocketTransport(socket: WebSocket): ProtocolTransport {
  const close = (): void => socket.terminate();
  const transport = new ProtocolTransport({
    send: (message) => socket.send(message, () => {}), // a failure also emits `close`
    close,
    check(message) {
      if (!isWellFormed(message)) throw new Error("malformed message");
    },
  });
  const receive = async (message: Buffer): Promise<void> => {
    transport.reader.push(message.subarray(0, SLICE_BYTES));
    if (message.length > SLICE_BYTES) {
      socket.pause();
      for (let start = SLICE_BYTES; start < message.length; start += SLICE_BYTES) {
        await setImmediate();
        transport.reader.push(message.subarray(start, start + SLICE_BYTES));
      }
      socket.resume();
    }
    transport.reader.push(END_OF_MESSAGE);
  };
  let received = Promise.resolve();
  socket.on("message", (data) => {
    received = received.then(() => receive(data as Buffer)).catch(close);
  });
  socket.once("close", () => transport.onclose?.());
  return transport;
}
