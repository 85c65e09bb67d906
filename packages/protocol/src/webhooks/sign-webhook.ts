import { hmacSha256 } from "#hmac";
import { toHex } from "../signing/to-hex.ts";

const SCHEME = "snap-webhook-v1";

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
  return toHex(hmacSha256(signingSecret, `${SCHEME}\n${timestamp}\n`, body));
}

/**
 * The value of `webhook-signature` as the Standard Webhooks specification has it, over the same body
 * with the same secret, taken as text (docs/decisions/batches-and-webhooks.md).
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
