import {
  signStandardWebhook,
  signWebhook,
  STANDARD_WEBHOOK_HEADERS,
  WEBHOOK_HEADERS,
  type RenderBatch,
} from "@snap/protocol";

/** A webhook delivery: the raw body and the headers of its POST request. */
export interface SignedWebhook {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface SignDeliveryOptions {
  /** The signing secret that the receiver expects. */
  readonly signingSecret: string;
  /**
   * Time of the delivery, as a `Date` or in milliseconds since the Unix epoch.
   * @default Date.now()
   */
  readonly now?: Date | number | undefined;
}

/**
 * Returns a webhook delivery for a finished batch, signed as the service signs it, to test a webhook receiver with.
 *
 * @example
 * const { body, headers } = signDelivery(batch, { signingSecret });
 * const response = await webhookHandler(signingSecret, save)(
 *   new Request("https://app.example.com/webhooks/snap", { method: "POST", body, headers }),
 * );
 */
export function signDelivery(
  batch: RenderBatch,
  { signingSecret, now = Date.now() }: SignDeliveryOptions,
): SignedWebhook {
  const body = JSON.stringify(batch);
  const timestamp = String(Math.floor(Number(now) / 1000));
  const bytes = new TextEncoder().encode(body);
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      [WEBHOOK_HEADERS.id]: batch.id,
      [WEBHOOK_HEADERS.timestamp]: timestamp,
      [WEBHOOK_HEADERS.signature]: signWebhook({ timestamp, body: bytes }, signingSecret),
      [STANDARD_WEBHOOK_HEADERS.id]: batch.id,
      [STANDARD_WEBHOOK_HEADERS.timestamp]: timestamp,
      [STANDARD_WEBHOOK_HEADERS.signature]: signStandardWebhook(
        { id: batch.id, timestamp, body: bytes },
        signingSecret,
      ),
    },
  };
}
