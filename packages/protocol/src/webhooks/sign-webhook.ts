import { concat, hmacSha256, toHex } from "../signing/hmac.ts";

const SCHEME = "snap-webhook-v1";
const utf8 = new TextEncoder();

/** What a webhook signature covers. */
export interface SignedDelivery {
  /** Unix seconds in decimal digits, as they stand in `X-Webhook-Timestamp`. */
  readonly timestamp: string;
  /** The body as sent, byte for byte. */
  readonly body: Uint8Array;
}

/**
 * The value of `X-Webhook-Signature`: lowercase hex HMAC-SHA256 keyed with the signing secret of the
 * token that submitted the batch (interface.md, Events).
 */
export function signWebhook({ timestamp, body }: SignedDelivery, signingSecret: string): string {
  const signed = concat(utf8.encode(`${SCHEME}\n${timestamp}\n`), body);
  return toHex(hmacSha256(utf8.encode(signingSecret), signed));
}

/**
 * The value of `webhook-signature` as the Standard Webhooks specification has it, over the same body
 * with the same secret, taken as text (decisions.md, Batches and webhooks).
 */
export function signStandardWebhook(
  { id, timestamp, body }: SignedDelivery & { readonly id: string },
  signingSecret: string,
): string {
  const signed = concat(utf8.encode(`${id}.${timestamp}.`), body);
  return `v1,${toBase64(hmacSha256(utf8.encode(signingSecret), signed))}`;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
