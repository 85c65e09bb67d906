/**
 * Why a delivery was rejected. More codes may be added.
 * - `missing_header`: a required header is missing, or was passed more than once. If the platform
 *   has joined several values, the code is `invalid_timestamp` or `invalid_signature`.
 * - `invalid_timestamp`: the timestamp is not Unix seconds in decimal digits.
 * - `timestamp_out_of_tolerance`: the signature is valid, but the timestamp is too old or too far in the future.
 * - `invalid_signature`: signed with another secret, or changed in transit.
 * - `invalid_body`: the signature is valid, but the body is not a batch; or the body is incomplete.
 * - `body_too_large`: larger than any batch (`webhookHandler` and `webhookMiddleware` only).
 * - `raw_body_needed`: the raw body is not available, for example because it was already parsed or read. A mistake in the
 *   receiving program.
 * - `misconfigured`: no secret, or an option out of range. A mistake in the receiving program.
 */
export type WebhookErrorCode =
  | "missing_header"
  | "invalid_timestamp"
  | "timestamp_out_of_tolerance"
  | "invalid_signature"
  | "invalid_body"
  | "body_too_large"
  | "raw_body_needed"
  | "misconfigured";

/**
 * A delivery that cannot be trusted, or a mistake in the receiving program. Branch on `code`; messages are for people,
 * and never contain a secret or any part of the body; `cause` can quote the body.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Checks the shape, not the class, so it works across copies of this package. */
export function isWebhookError(error: unknown): error is WebhookError {
  return (
    error instanceof Error &&
    error.name === "WebhookError" &&
    "code" in error &&
    typeof error.code === "string"
  );
}
