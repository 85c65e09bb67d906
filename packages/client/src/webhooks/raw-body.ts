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
