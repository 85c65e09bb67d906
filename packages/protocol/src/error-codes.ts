/** What the API guarantees about one error code. */
export interface ErrorCodeFacts {
  /** The HTTP status of every response with this code. */
  readonly status: number;
  /** Whether a retry of the identical request can succeed. */
  readonly retryable: boolean;
  /** The default `Retry-After`, in seconds; a response can have another value. */
  readonly retryAfterSeconds?: number;
}

/**
 * The published error codes: those of the original contract first, then later additions. Codes are only ever added: a
 * client that receives an unknown one should go by its status. The error reference is generated from these comments.
 */
export const ERROR_CODES = {
  /** The bearer token, console session or sign-in link is missing, unknown, expired or revoked. */
  unauthenticated: { status: 401, retryable: false },
  /** The account has no active plan. The request counts against the render limit. */
  no_active_plan: { status: 402, retryable: false },
  /** All credits for the period have been used or reserved. The request counts against the render limit. */
  credit_limit_reached: { status: 402, retryable: false },
  /** The account's email address is not verified. */
  email_unverified: { status: 403, retryable: false },
  /** The token lacks the permission for the mode. */
  missing_ability: { status: 403, retryable: false },
  /** The URL is not signed, the signature does not match, or the token has expired or no longer exists. */
  invalid_signature: { status: 403, retryable: false },
  /** The signature is valid, but `expires` has passed. */
  signed_url_expired: { status: 403, retryable: false },
  /** The path is unknown, or the resource does not exist, was deleted or belongs to another account. */
  not_found: { status: 404, retryable: false },
  /** The path does not support this method; `Allow` lists the supported ones. */
  method_not_allowed: { status: 405, retryable: false },
  /** The request uses an old path under `/api/v1`; the message names the new address. */
  api_moved: { status: 410, retryable: false },
  /** A parameter, a combination of parameters or a request body is invalid; `errors` names what to fix. */
  validation_failed: { status: 422, retryable: false },
  /** `url` is missing or invalid. */
  invalid_url: { status: 422, retryable: false },
  /**
   * `url`, `webhookUrl` or a redirect leads to a host that is not publicly reachable, to a port below 1024 other than 80
   * and 443, or to a target that the operator blocks.
   */
  blocked_host: { status: 422, retryable: false },
  /** The page could not be loaded, for example: unknown host, no connection, too many redirects, unknown document. */
  target_unreachable: { status: 422, retryable: false },
  /** A rate limit is exceeded; except for signed URLs, the rate-limit headers describe that limit. */
  rate_limited: { status: 429, retryable: true },
  /** The render failed; if `X-Render-Notes` names the cause, a retry is pointless. */
  render_failed: { status: 500, retryable: true },
  /** The service itself failed; report the `request_id`. */
  server_error: { status: 500, retryable: false },
  /**
   * The browser failed or is not available, the page overloaded it or used too much memory, or name resolution or an
   * upstream proxy failed.
   */
  upstream_error: { status: 502, retryable: true, retryAfterSeconds: 5 },
  /** The quota of the remote browser service is used up. */
  upstream_quota_exceeded: { status: 502, retryable: true, retryAfterSeconds: 3600 },
  /**
   * The service is busy; for example, the queue is full, overall or for this account, no slot became free in time, or
   * all remote browsers are busy. If no slot was free, the request counts against the render limit.
   */
  upstream_rate_limited: { status: 503, retryable: true, retryAfterSeconds: 2 },
  /** The render, or a wait in the request, exceeded its timeout, or the page used too much CPU time. */
  render_timeout: { status: 504, retryable: true, retryAfterSeconds: 10 },

  /** The request is not well-formed HTTP. */
  bad_request: { status: 400, retryable: false },
  /** A sign-in or a request with an operator's session came from another origin, or changes something without `Origin`. */
  forbidden: { status: 403, retryable: false },
  /** The operator has suspended the account; a retry succeeds once it is resumed. */
  account_suspended: { status: 403, retryable: false },
  /** The request did not arrive in time. */
  request_timeout: { status: 408, retryable: true },
  /** The request body is too large, or a document has too many files or is too large when unpacked. */
  payload_too_large: { status: 413, retryable: false },
  /** The `Idempotency-Key` was used for another submission in the last 24 hours; use a new key. */
  idempotency_mismatch: { status: 422, retryable: false },
  /** `script` is not valid JavaScript, threw an error or took too long, or `waitForFunction` is not valid. */
  script_failed: { status: 422, retryable: false },
  /** The store that `storeTo` names did not accept the rendering; nothing is charged. */
  store_failed: { status: 502, retryable: true, retryAfterSeconds: 5 },
  /** The request line and headers together are larger than 64 KiB, or there are too many headers. */
  request_header_fields_too_large: { status: 431, retryable: false },
  /**
   * The process is stopping or, in a response from `/readyz`, cannot render, write to its storage or rely on
   * its clock.
   */
  not_ready: { status: 503, retryable: true, retryAfterSeconds: 2 },
} as const satisfies Record<string, ErrorCodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Error messages by parameter name. */
export type ParameterProblems = Readonly<Record<string, readonly string[]>>;

/** The JSON body of every error response. */
export interface ErrorEnvelope {
  readonly code: ErrorCode;
  /** For people; its wording may change at any time. */
  readonly message: string;
  /** Present only if the error names parameters, or the files of a document. */
  readonly errors?: ParameterProblems;
  /** The same value as the `X-Request-Id` header. */
  readonly request_id: string;
}
