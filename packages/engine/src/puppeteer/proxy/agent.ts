import { Agent, type ClientRequest, type ClientRequestArgs, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

/** Chromium opens at most six connections per host, with or without a proxy. */
const IDLE_PER_HOST_MAX = 6;
/** Upper limit: a server's `Keep-Alive: timeout` can shorten it. */
const IDLE_TIMEOUT_MS = 10_000;

/**
 * Reuses the upstream connections of one page, per host and port. It never opens any itself: the request's
 * `createConnection` does, and only to checked addresses.
 */
export class UpstreamAgent extends Agent {
  constructor() {
    super({ keepAlive: true, maxFreeSockets: IDLE_PER_HOST_MAX, timeout: IDLE_TIMEOUT_MS });
  }

  override createConnection(
    options: ClientRequestArgs,
    callback: (error: Error | null, socket: Duplex) => void,
  ): null {
    options.createConnection?.(options, callback);
    return null;
  }
}

/**
 * Follows the response to `outgoing` and calls `onBytes` as it arrives. The agent may reuse the connection
 * only if it carried that response and nothing else.
 */
export function followResponse(outgoing: ClientRequest, onBytes: (upstream: Socket) => void): ResponseFrame {
  const frame = new ResponseFrame(outgoing.method);
  outgoing.once("response", (response) => (frame.response = response));
  outgoing.once("socket", (upstream) => {
    const onData = (chunk: Buffer): void => {
      frame.read(chunk);
      onBytes(upstream);
    };
    upstream.off("data", destroyIdle).off("end", destroyIdle);
    upstream.prependListener("data", onData);
    // after this event the connection returns to the agent
    outgoing.once("close", () => {
      upstream.off("data", onData);
      if (frame.isExact) upstream.on("data", destroyIdle).on("end", destroyIdle);
      else upstream.destroy();
    });
  });
  return frame;
}

/** An idle connection must stay silent (RFC 9112, 6.3). Node 22.19 does not check this. */
function destroyIdle(this: Duplex): void {
  this.destroy();
}

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";

/**
 * Measures one response, to detect bytes after its end. Node's parser rejects a complete second response, but silently
 * drops a partial one; the next request would then get a wrong response (RFC 9112, 6.3).
 */
class ResponseFrame {
  response: IncomingMessage | null = null;
  readonly #method: string;
  #receivedBytes = 0;
  #headBytes: number | null = null;
  #tail = "";

  constructor(method: string) {
    this.#method = method;
  }

  get isEmpty(): boolean {
    return this.#receivedBytes === 0;
  }

  read(chunk: Buffer): void {
    if (this.#headBytes === null) {
      const end = (this.#tail + chunk.toString("latin1")).indexOf(HEAD_END);
      if (end !== -1) this.#headBytes = this.#receivedBytes - this.#tail.length + end + HEAD_END.length;
    }
    this.#receivedBytes += chunk.length;
    const end = chunk.subarray(-LAST_CHUNK.length).toString("latin1");
    this.#tail = (this.#tail + end).slice(-LAST_CHUNK.length);
  }

  /** Whether the response is complete and nothing follows it; `false` when in doubt. */
  get isExact(): boolean {
    if (this.response?.complete !== true || this.#headBytes === null) return false;
    const { statusCode = 0, headers } = this.response;
    const bodyBytes = this.#receivedBytes - this.#headBytes;
    if (this.#method === "HEAD" || statusCode === 204 || statusCode === 304) return bodyBytes === 0;
    // a partial second response cannot end with LAST_CHUNK: its empty line would complete the head, and Node rejects that
    if (headers["transfer-encoding"] !== undefined) return this.#tail === LAST_CHUNK;
    return bodyBytes === Number(headers["content-length"]);
  }
}
