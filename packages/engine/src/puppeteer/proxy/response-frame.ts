import type { IncomingMessage } from "node:http";

const HEAD_END = "\r\n\r\n";
const LAST_CHUNK = "0\r\n\r\n";

/**
 * Measures one response, to detect bytes after its end. Node's parser rejects a complete second response,
 * but silently drops the start of one; the next request would then get a wrong response (RFC 9112, 6.3).
 */
export class ResponseFrame {
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

  /** Whether the response is complete and nothing follows it. False when in doubt. */
  get isExact(): boolean {
    if (this.response?.complete !== true || this.#headBytes === null) return false;
    const { statusCode = 0, headers } = this.response;
    const bodyBytes = this.#receivedBytes - this.#headBytes;
    if (this.#method === "HEAD" || statusCode === 204 || statusCode === 304) return bodyBytes === 0;
    // the start of another response can't end like this: an empty line would complete its head
    if (headers["transfer-encoding"] !== undefined) return this.#tail === LAST_CHUNK;
    return bodyBytes === Number(headers["content-length"]);
  }
}
