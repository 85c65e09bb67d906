import { equalsInConstantTime, type RenderBatch, signWebhook } from "@snap/protocol";
import { type RawBody, toBytes } from "./raw-body.ts";
import { readHeaders, type WebhookHeaders } from "./read-headers.ts";
import { checkSettings, type WebhookSecrets, type WebhookSettings } from "./check-settings.ts";
import { WebhookError } from "./webhook-error.ts";

/** Options for `verifyWebhook`. */
export interface VerifyWebhookOptions {
  /**
   * Maximum difference between the delivery's timestamp and now, in seconds.
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined;
  /**
   * The current time, as a `Date` or in milliseconds since the Unix epoch; for tests.
   * @default Date.now()
   */
  readonly now?: Date | number | undefined;
}

/** Strict, because `Number` also accepts `0x10`, `1e9` and surrounding spaces. */
const TIMESTAMP = /^[0-9]{1,12}$/;
/** Checked first, to avoid hashing the body for a malformed signature. */
const SIGNATURE = /^[0-9a-f]{64}$/;

/**
 * Verifies a webhook delivery and returns its batch. Checks the signature over the raw bytes in constant time, before
 * decoding anything; then the timestamp, and that `X-Webhook-Id` names the batch.
 *
 * A delivery can arrive more than once: if its acknowledgement was lost, or if somebody resends it.
 * Deduplicate by `batch.id`.
 *
 * @param rawBody The unparsed body.
 * @param headers All headers of the request.
 * @param secret The signing secret of the token that submitted the batch, or several during a rotation.
 * @throws WebhookError if the delivery cannot be trusted, or the receiver is misconfigured; see its `code`.
 * @example
 * app.post("/webhooks/snap", express.raw({ type: "application/json", limit: "1mb" }), (request, response) => {
 *   const batch = verifyWebhook(request.body, request.headers, signingSecret);
 *   for (const item of batch.items) console.log(item.url, item.status, item.signed_url);
 *   response.sendStatus(204);
 * });
 */
export function verifyWebhook(
  rawBody: RawBody,
  headers: WebhookHeaders,
  secret: WebhookSecrets,
  options: VerifyWebhookOptions = {},
): RenderBatch {
  const settings = checkSettings(secret, options.toleranceSeconds);
  const nowMs = Number(options.now ?? Date.now());
  if (!Number.isFinite(nowMs))
    throw new WebhookError(
      "misconfigured",
      "now must be a valid Date, or milliseconds since the Unix epoch.",
    );
  return verifyDelivery({ rawBody, headers, nowMs }, settings);
}

/** A delivery to verify, and the current time. */
export interface Delivery {
  readonly rawBody: RawBody;
  readonly headers: WebhookHeaders;
  readonly nowMs: number;
}

/** Verifies a delivery with checked settings. */
export function verifyDelivery(
  { rawBody, headers, nowMs }: Delivery,
  settings: WebhookSettings,
): RenderBatch {
  const body = toBytes(rawBody);
  const { id, timestamp, signature } = readHeaders(headers);
  if (!TIMESTAMP.test(timestamp))
    throw new WebhookError(
      "invalid_timestamp",
      "Header X-Webhook-Timestamp must be Unix seconds in decimal digits.",
    );
  if (!SIGNATURE.test(signature) || !isSigned({ body, timestamp, signature }, settings.secrets))
    throw invalidSignature();
  // after the signature, so a forged delivery reveals nothing about this clock
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > settings.toleranceSeconds)
    throw new WebhookError(
      "timestamp_out_of_tolerance",
      `The timestamp is more than ${settings.toleranceSeconds} seconds from now: this is a replay, or a ` +
        "clock is wrong.",
    );
  const batch = parseBatch(body);
  if (batch.id !== id) throw invalidSignature();
  return batch;
}

interface UnverifiedDelivery {
  readonly body: Uint8Array;
  readonly timestamp: string;
  readonly signature: string;
}

/** Tries every secret, so the timing does not reveal which one matched. */
function isSigned({ body, timestamp, signature }: UnverifiedDelivery, secrets: readonly string[]): boolean {
  return secrets
    .map((secret) => equalsInConstantTime(signature, signWebhook({ timestamp, body }, secret)))
    .includes(true);
}

function invalidSignature(): WebhookError {
  return new WebhookError(
    "invalid_signature",
    "Invalid signature; check the signing secret, and pass the body and headers unchanged.",
  );
}

/** Parses the batch of a verified body. Keeps members that are newer than this package. */
function parseBatch(body: Uint8Array): RenderBatch {
  let cause: unknown;
  try {
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (isBatch(document)) return document;
  } catch (error) {
    cause = error;
  }
  throw new WebhookError("invalid_body", "The signature is valid, but the body is not a batch.", { cause });
}

/** Checks only the essential members; the signature proves that the service wrote the rest. */
function isBatch(document: unknown): document is RenderBatch {
  return (
    hasStrings(document, ["id", "status"]) &&
    Array.isArray(document["items"]) &&
    document["items"].every((item) => hasStrings(item, ["id", "url", "status"]))
  );
}

function hasStrings(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === "string")
  );
}
