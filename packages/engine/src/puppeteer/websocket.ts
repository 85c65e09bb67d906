import type { Socket } from "node:net";
import type { ConnectionTransport } from "puppeteer";
import { WebSocket } from "ws";
import type { BrowserEndpoint } from "../browser-endpoints.ts";
import { readRefusal } from "./ask-endpoint.ts";
import { BrowserUnavailable, explainRefusal } from "./browser-unavailable.ts";
import { describe } from "./describe.ts";
import { MESSAGE_MAX_BYTES } from "./pipe-transport.ts";
import { isWellFormed } from "./protocol-message.ts";

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
