import type { Socket } from "node:net";
import type { ConnectionTransport } from "puppeteer";
import { WebSocket } from "ws";
import type { BrowserEndpoint } from "../../browser-endpoints.ts";
import { describe } from "../describe.ts";
import { readRefusal } from "./ask-endpoint.ts";
import { BrowserUnavailable, explainRefusal } from "./browser-unavailable.ts";
import { MESSAGE_MAX_BYTES } from "./pipe-transport.ts";

interface Message {
  readonly method?: unknown;
  readonly params?: unknown;
}

/**
 * Whether a message of a browser elsewhere is one that puppeteer can take. It handles what is said of
 * targets asynchronously, and nobody hears of the errors that it makes of something malformed: they would
 * end our process.
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

/** A socket that is open, and the machine at its other end. */
export interface OpenWebSocket {
  readonly socket: WebSocket;
  /** Addresses of both ends, for who may use our proxies. */
  readonly remoteAddress: string;
  readonly localAddress: string;
}

/**
 * Opens the socket of a browser elsewhere. Redirects aren't followed: the address holds secrets.
 *
 * @throws BrowserUnavailable that says why it was refused
 */
export function openWebSocket(
  url: URL,
  { origin }: Pick<BrowserEndpoint, "origin">,
  signal: AbortSignal,
): Promise<OpenWebSocket> {
  const socket = new WebSocket(url, {
    followRedirects: false,
    perMessageDeflate: false,
    skipUTF8Validation: true, // JSON is read from it, which fails where it matters
    maxPayload: MESSAGE_MAX_BYTES,
    rejectUnauthorized: true,
  });
  return new Promise((resolve, reject) => {
    let ends: Pick<Socket, "remoteAddress" | "localAddress"> | undefined;
    const giveUp = (reason: unknown): void => {
      signal.removeEventListener("abort", abort);
      reject(reason);
      socket.terminate();
    };
    const abort = (): void => giveUp(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    socket.on("error", (error) =>
      giveUp(new BrowserUnavailable(`${origin} can't be reached: ${describe(error)}`)),
    );
    socket.once("upgrade", (answer) => (ends = answer.socket));
    socket.once("unexpected-response", (_request, answer) => {
      const { statusCode: status = 0, headers } = answer;
      void readRefusal(answer).then((body) =>
        giveUp(explainRefusal({ origin, status, retryAfter: headers["retry-after"], body })),
      );
    });
    socket.once("open", () => {
      signal.removeEventListener("abort", abort);
      const { remoteAddress = "", localAddress = "" } = ends ?? {};
      resolve({ socket, remoteAddress, localAddress });
    });
  });
}

/** The DevTools protocol over a WebSocket: a text message each. One that is none ends the connection. */
export function openWebSocketTransport(socket: WebSocket): ConnectionTransport {
  const close = (): void => socket.terminate();
  const transport: ConnectionTransport = {
    send: (message) => socket.send(message, () => {}), // `close` tells why it was not sent
    close,
  };
  const read = async (text: string): Promise<void> => {
    if (!isWellFormed(text)) return close();
    // puppeteer's reading is asynchronous, and rejects what it can't read
    const reading: unknown = transport.onmessage?.(text);
    await reading;
  };
  socket.on("message", (data) => {
    read((data as Buffer).toString("utf8")).catch(close);
  });
  socket.once("close", () => transport.onclose?.());
  return transport;
}
