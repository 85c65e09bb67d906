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

/** The same headers under their Standard Webhooks names. */
export const STANDARD_WEBHOOK_HEADERS = {
  id: "webhook-id",
  timestamp: "webhook-timestamp",
  signature: "webhook-signature",
} as const;
