import { equalsInConstantTime, type RenderBatch, signWebhook } from "@snap/protocol";
import { type RawBody, toBytes } from "./raw-body.ts";
import { readHeaders, type WebhookHeaders } from "./read-headers.ts";
import { readSettings, type WebhookSecrets, type WebhookSettings } from "./read-settings.ts";
import { WebhookError } from "./webhook-error.ts";

/** Options of `verifyWebhook`. */
export interface VerifyWebhookOptions {
  /**
   * How far the delivery's timestamp may be from now, either way, in seconds.
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined;
  /**
   * The present, as a `Date` or in milliseconds since 1970; for tests.
   * @default Date.now()
   */
  readonly now?: Date | number | undefined;
}

/** Strict, because `Number` also reads `0x10`, `1e9` and spaces. */
const TIMESTAMP = /^[0-9]{1,12}$/;
/** Looked at first: what can't be a signature isn't worth hashing a body for. */
const SIGNATURE = /^[0-9a-f]{64}$/;

/**
 * Verifies a webhook delivery and returns its batch. The signature is checked over the raw bytes, in
 * constant time, before anything is decoded; then the timestamp, and that `X-Webhook-Id` names the batch.
 *
 * A delivery can come more than once (the acknowledgement may have been lost): remember `batch.id` and
 * act on it once.
 *
 * @param rawBody The body as it was sent, never parsed.
 * @param headers All headers of the request.
 * @param secret The signing secret of the token that submitted the batch, or several while it is rotated.
 * @throws WebhookError when the delivery must not be acted on; see its `code`.
 * @example
 * app.post("/webhooks/snap", express.raw({ type: "application/json" }), (request, response) => {
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
  const settings = readSettings(secret, options.toleranceSeconds);
  const nowMs = Number(options.now ?? Date.now());
  if (!Number.isFinite(nowMs))
    throw new WebhookError("misconfigured", "now must be a valid Date, or milliseconds since 1970.");
  return verifyDelivery({ rawBody, headers, nowMs }, settings);
}

/** A delivery to verify, and when that happens. */
export interface Delivery {
  readonly rawBody: RawBody;
  readonly headers: WebhookHeaders;
  readonly nowMs: number;
}

/** Verifies with settings that were checked before. */
export function verifyDelivery(
  { rawBody, headers, nowMs }: Delivery,
  settings: WebhookSettings,
): RenderBatch {
  const body = toBytes(rawBody);
  const { id, timestamp, signature } = readHeaders(headers);
  if (!TIMESTAMP.test(timestamp))
    throw new WebhookError("invalid_timestamp", "The timestamp is not Unix seconds in decimal digits.");
  if (!SIGNATURE.test(signature) || !isSigned({ body, timestamp, signature }, settings.secrets))
    throw invalidSignature();
  // After the signature, so that only a genuine delivery learns anything about this clock.
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > settings.toleranceSeconds)
    throw new WebhookError(
      "timestamp_out_of_tolerance",
      `The delivery was signed more than ${settings.toleranceSeconds} seconds from now: it is a repeat, or ` +
        "a clock is wrong.",
    );
  const batch = parseBatch(body);
  if (batch.id !== id) throw invalidSignature();
  return batch;
}

interface SignedParts {
  readonly body: Uint8Array;
  readonly timestamp: string;
  readonly signature: string;
}

/** Tries every secret, so that the time taken says nothing about which one it was. */
function isSigned({ body, timestamp, signature }: SignedParts, secrets: readonly string[]): boolean {
  return secrets
    .map((secret) => equalsInConstantTime(signature, signWebhook({ timestamp, body }, secret)))
    .includes(true);
}

function invalidSignature(): WebhookError {
  return new WebhookError(
    "invalid_signature",
    "The delivery could not be verified: check the signing secret, and pass body and headers as they came.",
  );
}

/** The batch in a verified body. Members that are newer than this package are left in it. */
function parseBatch(body: Uint8Array): RenderBatch {
  let cause: unknown;
  try {
    const document: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    if (isBatch(document)) return document;
  } catch (error) {
    cause = error;
  }
  throw new WebhookError("invalid_body", "The delivery is genuine, but its body is not a batch.", { cause });
}

/** What everything else hangs on; the rest is the service's word, which the signature vouches for. */
function isBatch(document: unknown): document is RenderBatch {
  return (
    hasTexts(document, ["id", "status"]) &&
    Array.isArray(document["items"]) &&
    document["items"].every((item) => hasTexts(item, ["id", "url", "status"]))
  );
}

function hasTexts(value: unknown, names: readonly string[]): value is Record<string, unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    names.every((name) => typeof (value as Record<string, unknown>)[name] === "string")
  );
}
