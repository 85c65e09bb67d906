import { type RawBody, toBytes } from "./raw-body.ts";
import { WebhookError } from "./webhook-error.ts";

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
