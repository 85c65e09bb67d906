import { type RawBody, toBytes } from "./raw-body.ts";
import { WebhookError } from "./webhook-error.ts";

/** A batch of 20 items with the longest addresses stays below it. */
const BODY_LIMIT_BYTES = 1_048_576;

/** What a body is whose sender went away. */
export function brokenOff(cause?: unknown): WebhookError {
  return new WebhookError("invalid_body", "The connection broke off before the body was complete.", {
    cause,
  });
}

/** Gathers the body of a delivery, up to a bound. */
export class BoundedBody {
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #receivedBytes = 0;

  /** @throws WebhookError `body_too_large`, from the chunk on that passes the bound. */
  add(chunk: RawBody): void {
    // Copied: what a runtime hands out may be its own buffer, used again for the next chunk.
    const bytes = new Uint8Array(toBytes(chunk));
    this.#receivedBytes += bytes.byteLength;
    if (this.#receivedBytes > BODY_LIMIT_BYTES)
      throw new WebhookError("body_too_large", `The body is larger than ${BODY_LIMIT_BYTES} bytes.`);
    this.#chunks.push(bytes);
  }

  /** All of it. */
  async read(): Promise<ArrayBuffer> {
    return new Blob(this.#chunks).arrayBuffer();
  }
}
