import { WebhookError } from "./webhook-error.ts";

/** A body as it was sent, before anything parsed it. A `Buffer` is a `Uint8Array`. */
export type RawBody = string | Uint8Array | ArrayBuffer;

/** Goes by the kind of object, not by the class: test runners and workers have classes of their own. */
export function isRawBody(body: unknown): body is RawBody {
  return (
    typeof body === "string" ||
    ArrayBuffer.isView(body) ||
    Object.prototype.toString.call(body) === "[object ArrayBuffer]"
  );
}

/** The bytes of a raw body; without copying, where they are bytes already. */
export function toBytes(body: RawBody): Uint8Array {
  if (!isRawBody(body)) throw rawBodyNeeded();
  if (typeof body === "string") return new TextEncoder().encode(body);
  return ArrayBuffer.isView(body)
    ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength)
    : new Uint8Array(body);
}

/** The signature covers bytes: JSON that was parsed and written again has others. */
export function rawBodyNeeded(): WebhookError {
  return new WebhookError(
    "raw_body_needed",
    "Pass the body as it was sent, not parsed. In Express, put webhookMiddleware or " +
      'express.raw({ type: "application/json" }) before express.json(); of a web Request, pass ' +
      "await request.text() or await request.arrayBuffer().",
  );
}

/** A batch of 20 items with the longest addresses stays below it. */
export const BODY_LIMIT_BYTES = 1_048_576;

/** What a body is whose sender went away. */
export function brokenOff(cause?: unknown): WebhookError {
  return new WebhookError("invalid_body", "The connection broke off before the body was complete.", {
    cause,
  });
}

const FIRST_BYTES = 16_384;

/** Gathers the body of a delivery, up to a bound: many small chunks cost no more than a large one. */
export class BoundedBody {
  #buffer = new Uint8Array(FIRST_BYTES);
  #receivedBytes = 0;

  /** @throws WebhookError `body_too_large`, from the chunk on that passes the bound. */
  add(chunk: RawBody): void {
    // Copied: what a runtime hands out may be its own buffer, used again for the next chunk.
    const bytes = toBytes(chunk);
    const start = this.#receivedBytes;
    this.#receivedBytes += bytes.byteLength;
    if (this.#receivedBytes > BODY_LIMIT_BYTES)
      throw new WebhookError("body_too_large", `The body is larger than ${BODY_LIMIT_BYTES} bytes.`);
    if (this.#receivedBytes > this.#buffer.byteLength) this.#grow();
    this.#buffer.set(bytes, start);
  }

  /** All of it. */
  read(): Uint8Array {
    return this.#buffer.subarray(0, this.#receivedBytes);
  }

  #grow(): void {
    const larger = new Uint8Array(Math.max(2 * this.#buffer.byteLength, this.#receivedBytes));
    larger.set(this.#buffer);
    this.#buffer = larger;
  }
}
