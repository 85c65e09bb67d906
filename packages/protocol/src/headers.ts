/** Response headers of the API. */
export const HEADERS = {
  requestId: "X-Request-Id",
  creditsLimit: "X-Credits-Limit",
  creditsRemaining: "X-Credits-Remaining",
  creditsReset: "X-Credits-Reset",
  cache: "X-Cache",
  targetStatus: "X-Target-Status",
  rateLimitLimit: "X-RateLimit-Limit",
  rateLimitRemaining: "X-RateLimit-Remaining",
  retryAfter: "Retry-After",
  /** Remarks about a render, such as `wait-capped`. */
  renderNotes: "X-Render-Notes",
  /** Where the rendering was stored: `s3://bucket/key`, with the key percent-encoded. */
  storedLocation: "X-Stored-Location",
} as const;

/** Request headers that are not standard HTTP. */
export const REQUEST_HEADERS = {
  /** Makes a repeated submission return the batch of the first one. */
  idempotencyKey: "Idempotency-Key",
} as const;

/** Headers of a webhook delivery. */
export const WEBHOOK_HEADERS = {
  id: "X-Webhook-Id",
  timestamp: "X-Webhook-Timestamp",
  signature: "X-Webhook-Signature",
} as const;

/**
 * The headers of the Standard Webhooks specification. Id and timestamp have the same values as
 * above; the signature has another format, and can be a list.
 */
export const STANDARD_WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;
