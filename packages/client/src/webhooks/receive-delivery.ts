import type { RenderBatch } from "@snap/protocol";
import { callSafely } from "../sending/hooks.ts";
import type { RawBody } from "./raw-body.ts";
import type { WebhookHeaders } from "./read-headers.ts";
import type { WebhookSettings } from "./check-settings.ts";
import { verifyDelivery } from "./verify-webhook.ts";
import { isWebhookError, type WebhookError, type WebhookErrorCode } from "./webhook-error.ts";

/**
 * Handles a batch; can return a promise. The delivery is acknowledged when it resolves. Move long work to a queue: the
 * service times out after 15 seconds and retries the delivery.
 */
export type WebhookCallback = (batch: RenderBatch) => unknown;

/** Options for `webhookHandler` and `webhookMiddleware`. */
export interface WebhookReceiverOptions {
  /**
   * Maximum difference between a delivery's timestamp and now, in seconds.
   * @default 300
   */
  readonly toleranceSeconds?: number | undefined;
  /**
   * Called for every delivery that was not acknowledged, with a `WebhookError` if it was rejected, or with the error that
   * the callback threw. The response does not depend on it: what it throws is ignored.
   */
  readonly onError?: ((error: unknown) => unknown) | undefined;
}

/** A request from any framework. */
export interface ReceivedRequest {
  readonly method: string | undefined;
  readonly headers: WebhookHeaders;
  readonly readBody: () => Promise<RawBody>;
}

/** The response to a delivery. */
export interface DeliveryResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** Statuses of errors that the sender caused. Any other error is the receiver's own. */
const STATUS_OF_ERROR: { readonly [Code in WebhookErrorCode]?: number } = {
  missing_header: 400,
  invalid_timestamp: 400,
  timestamp_out_of_tolerance: 400,
  invalid_signature: 400,
  invalid_body: 400,
  body_too_large: 413,
};

/** A receiver's settings and callback. */
export interface Receiver extends Pick<WebhookReceiverOptions, "onError"> {
  readonly settings: WebhookSettings;
  readonly callback: WebhookCallback;
}

/**
 * Reads and verifies a delivery, calls the callback, and returns the response.
 *
 * @throws The receiver's errors: the callback's, or a `WebhookError` about the setup.
 */
export async function receiveDelivery(
  request: ReceivedRequest,
  { settings, callback, onError }: Receiver,
): Promise<DeliveryResponse> {
  if (request.method !== "POST")
    return reject(405, { code: "method_not_allowed", message: "Method not allowed; use POST." });
  let batch: RenderBatch;
  try {
    const rawBody = await request.readBody();
    batch = verifyDelivery({ rawBody, headers: request.headers, nowMs: Date.now() }, settings);
  } catch (error) {
    callSafely(() => onError?.(error));
    const status = isWebhookError(error) ? STATUS_OF_ERROR[error.code] : undefined;
    if (status === undefined) throw error;
    return reject(status, error as WebhookError);
  }
  try {
    await callback(batch);
  } catch (error) {
    callSafely(() => onError?.(error));
    throw error;
  }
  return { status: 204, headers: {}, body: null };
}

function reject(status: number, { code, message }: { code: string; message: string }): DeliveryResponse {
  return {
    status,
    headers: { "Content-Type": "application/json", ...(status === 405 && { Allow: "POST" }) },
    body: JSON.stringify({ code, message }),
  };
}
