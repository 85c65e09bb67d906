/**
 * Why a delivery was not taken. The set may grow.
 * - `missing_header`: a header of the signature is missing, or came more than once.
 * - `invalid_timestamp`: not Unix seconds in decimal digits.
 * - `timestamp_out_of_tolerance`: genuine, but signed too long ago, or ahead of this clock.
 * - `invalid_signature`: not signed with one of the secrets, or changed on the way.
 * - `invalid_body`: signed, but not a batch; or the body broke off.
 * - `body_too_large`: more than a batch can be (`webhookHandler` and `webhookMiddleware` only).
 * - `raw_body_needed`: the body was given parsed. A mistake of the program that receives.
 * - `misconfigured`: no secret, or an option out of range. Likewise.
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
 * A delivery that must not be acted on, or a mistake in how it was passed on. Branch on `code`;
 * messages are for people. No secret and nothing of the body is ever in it.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly code: WebhookErrorCode;

  constructor(code: WebhookErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** Works across copies of this package: it goes by the shape, not by the class. */
export function isWebhookError(error: unknown): error is WebhookError {
  return (
    error instanceof Error &&
    error.name === "WebhookError" &&
    "code" in error &&
    typeof error.code === "string"
  );
}
