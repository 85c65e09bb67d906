import { hmacSha256 } from "#hmac";
import { toHex } from "../signing/to-hex.ts";

const SCHEME = "snap-webhook-v1";

/** The parts of a delivery that its signature covers. */
export interface SignedDelivery {
  /** Unix seconds in decimal digits, as in `X-Webhook-Timestamp`. */
  readonly timestamp: string;
  /** The body, exactly as sent. */
  readonly body: Uint8Array;
}

/**
 * Returns the value of `X-Webhook-Signature`: lowercase hex HMAC-SHA256, keyed with the signing secret of the token
 * that submitted the batch.
 */
export function signWebhook({ timestamp, body }: SignedDelivery, signingSecret: string): string {
  return toHex(hmacSha256(signingSecret, `${SCHEME}\n${timestamp}\n`, body));
}

/**
 * Returns a signature for `webhook-signature` (Standard Webhooks specification). The header lists one for each secret,
 * separated by spaces. The key is the secret's UTF-8 text.
 */
export function signStandardWebhook(
  { id, timestamp, body }: SignedDelivery & { readonly id: string },
  signingSecret: string,
): string {
  return `v1,${toBase64(hmacSha256(signingSecret, `${id}.${timestamp}.`, body))}`;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
