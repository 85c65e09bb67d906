import { WebhookError } from "./webhook-error.ts";

/** An unparsed body. A `Buffer` is a `Uint8Array`. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Does not use `instanceof`: test runners and workers have their own classes. */
export function isRawBody(body: unknown): body is RawBody {
  return (
    typeof body === "string" ||
    ArrayBuffer.isView(body) ||
    Object.prototype.toString.call(body) === "[object ArrayBuffer]"
  );
}

/** Returns the bytes of a raw body, without a copy if possible. */
export function toBytes(body: RawBody): Uint8Array {
  if (!isRawBody(body)) throw rawBodyNeeded();
  if (typeof body === "string") return new TextEncoder().encode(body);
  return ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : new Uint8Array(body);
}

/** The signature covers the bytes, which parsing and serializing JSON can change. */
export function rawBodyNeeded(): WebhookError {
  return new WebhookError(
    "raw_body_needed",
    "Pass the raw body, before it is parsed. In Express, put webhookMiddleware or " +
      'express.raw({ type: "application/json", limit: "1mb" }) before express.json(). For a web Request, pass ' +
      "await request.text() or await request.arrayBuffer().",
  );
}

/** Above the largest batch: a submission has at most 256 KiB, which signed URLs can triple. */
export const BODY_LIMIT_BYTES = 1_048_576;

/** Returns the error for a connection that closed too early. */
export function incompleteBody(cause?: unknown): WebhookError {
  return new WebhookError("invalid_body", "The connection closed before the body was complete.", {
    cause,
  });
}

const INITIAL_BUFFER_BYTES = 16_384;

/** Collects the body of a delivery up to a limit. The buffer doubles, so small chunks take linear time. */
export class BoundedBody {
  #buffer = new Uint8Array(INITIAL_BUFFER_BYTES);
  #receivedBytes = 0;

  /** @throws WebhookError `body_too_large` for the chunk that exceeds the limit and every later one. */
  add(chunk: RawBody): void {
    // copied, because a runtime can reuse its buffer for the next chunk
    const bytes = toBytes(chunk);
    const start = this.#receivedBytes;
    this.#receivedBytes += bytes.byteLength;
    if (this.#receivedBytes > BODY_LIMIT_BYTES)
      throw new WebhookError("body_too_large", `The body is larger than ${BODY_LIMIT_BYTES} bytes.`);
    if (this.#receivedBytes > this.#buffer.byteLength) this.#grow();
    this.#buffer.set(bytes, start);
  }

  read(): Uint8Array {
    return this.#buffer.subarray(0, this.#receivedBytes);
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(2 * this.#buffer.byteLength, this.#receivedBytes));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}
