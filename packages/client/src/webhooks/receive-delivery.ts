import type { RenderBatch } from "@snap/protocol";
import type { RawBody } from "./raw-body.ts";
import type { WebhookHeaders } from "./read-headers.ts";
import type { WebhookSettings } from "./read-settings.ts";
import { verifyDelivery } from "./verify-webhook.ts";
import { isWebhookError, type WebhookError, type WebhookErrorCode } from "./webhook-error.ts";

/**
 * Acts on a batch; a promise is awaited. The delivery is acknowledged when it is through, so hand long
 * work to a queue: the service waits 15 seconds and then delivers again.
 */
export type WebhookCallback = (batch: RenderBatch) => unknown;

/** Options of `webhookHandler` and `webhookMiddleware`. */
export interface WebhookReceiverOptions {
  /**
   * How far a delivery's timestamp may be from now, either way, in seconds.
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined;
  /**
   * Told of every delivery that was not acknowledged: a `WebhookError` when it was refused, or what
   * the callback threw.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** A request, whatever the framework. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly headers: WebhookHeaders;
  readonly readBody: () => Promise<RawBody>;
}

/** What the sender is answered. */
export interface DeliveryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What is the sender's to mend. Any other error is of the receiving program. */
const STATUS_OF_REFUSAL: { readonly [Code in WebhookErrorCode]?: number } = {
  missing_header: 400,
  invalid_timestamp: 400,
  timestamp_out_of_tolerance: 400,
  invalid_signature: 400,
  invalid_body: 400,
  body_too_large: 413,
};

/** What receives deliveries: settings that were checked, and what is done with a batch. */
export interface Receiver extends Pick<WebhookReceiverOptions, "onError"> {
  readonly settings: WebhookSettings;
  readonly callback: WebhookCallback;
}

/**
 * Reads, verifies and acts on a delivery, and answers it.
 *
 * @throws What is no fault of the sender: what the callback threw, or a `WebhookError` about the set-up.
 */
export async function receiveDelivery(
  request: ReceivedRequest,
  { settings, callback, onError }: Receiver,
): Promise<DeliveryAnswer> {
  if (request.method !== "POST")
    return refuse(405, { code: "method_not_allowed", message: "Deliveries are posted." });
  let batch: RenderBatch;
  try {
    const rawBody = await request.readBody();
    batch = verifyDelivery({ rawBody, headers: request.headers, nowMs: Date.now() }, settings);
  } catch (error) {
    onError?.(error);
    const status = isWebhookError(error) ? STATUS_OF_REFUSAL[error.code] : undefined;
    if (status === undefined) throw error;
    return refuse(status, error as WebhookError);
  }
  try {
    await callback(batch);
  } catch (error) {
    onError?.(error);
    throw error;
  }
  return { status: 204, headers: {}, body: null };
}

function refuse(status: number, { code, message }: { code: string; message: string }): DeliveryAnswer {
  return {
    status,
    headers: { "Content-Type": "application/json", ...(status === 405 && { Allow: "POST" }) },
    body: JSON.stringify({ code, message }),
  };
}
