import type { ErrorCode, ErrorEnvelope } from "@snap/protocol";

/** A message of each code, as the service words it. Actual ones of `not_found` name what was not found. */
const MESSAGES: Readonly<Record<ErrorCode, string>> = {
  unauthenticated:
    "The bearer token is missing, unknown, expired or revoked; send a valid one as `Authorization: Bearer <token>`.",
  no_active_plan: "The account has no active plan; choose one to render pages.",
  credit_limit_reached:
    "All credits for this period are used or reserved; new ones will be granted at 2026-04-01T12:00:00.000Z.",
  email_unverified: "The account's email address is not verified; verify it first.",
  missing_ability: 'This token lacks the "pdf" ability; it has: screenshot.',
  invalid_signature:
    "The URL is not signed, or the signature does not match; sign all parameters with the signing secret of a valid token.",
  signed_url_expired: "The signed URL has expired; sign a new one.",
  not_found: "Not found: the id is unknown, or it was deleted.",
  method_not_allowed: "Method not allowed; use GET or HEAD.",
  api_moved: "The API moved to https://snap.example.com/v1; use the same paths, parameters and tokens there.",
  validation_failed: "quality must be an integer from 1 to 100",
  invalid_url: "url is required and must be an absolute URL that starts with http:// or https://",
  blocked_host: "The URL leads to a host or port that the service blocks, such as a private address.",
  target_unreachable: "The page's host name could not be resolved.",
  rate_limited: "Rate limit of 20 renders per minute reached; retry in 12 s.",
  render_failed: "The selector #total matches no element on the page.",
  server_error: "Internal error. If it persists, report the request id.",
  upstream_error: "Name resolution failed for the page's host. Retry shortly.",
  upstream_quota_exceeded: "The rendering browser has used up its quota.",
  upstream_rate_limited: "Too many renderings are being stored. Retry shortly.",
  render_timeout: "The render did not finish within 30000 ms.",
  bad_request: "More than one Host header; send one.",
  forbidden: "Console sessions work only on pages of https://snap.example.com.",
  account_suspended: "This account is suspended; contact the operator of this service.",
  request_timeout:
    "The request did not arrive in time (limit 30 seconds, 15 for its headers); send it again, or a smaller one.",
  payload_too_large: "Request body too large (limit 262144 bytes).",
  idempotency_mismatch:
    "The idempotency key was used for a different submission in the last 24 hours; use a new key, or send the same items and webhookUrl.",
  script_failed: "The script failed: ReferenceError: total is not defined",
  store_failed: "The store is not available, so nothing was charged. Retry shortly.",
  request_header_fields_too_large:
    "Request line and headers too large (limit 64 KiB), or too many headers; send long parameters as JSON, with POST /v1/captures or in a batch.",
  not_ready: "The service is stopping; retry shortly.",
};

/** The parameters that an error names. */
const ERRORS: Partial<Record<ErrorCode, NonNullable<ErrorEnvelope["errors"]>>> = {
  validation_failed: { quality: ["must be an integer from 1 to 100"] },
  invalid_url: { url: ["is required and must be an absolute URL that starts with http:// or https://"] },
};

/** An error response with this code. */
export function errorExample(code: ErrorCode): ErrorEnvelope {
  const errors = ERRORS[code];
  const message = MESSAGES[code];
  return { code, message, ...(errors && { errors }), request_id: "7b0c1a5e-3c86-4a3c-9a53-1d9b7f2e6c11" };
}
