/** What the contract says about one error code. */
export interface ErrorCodeFacts {
  /** The HTTP status that the code always answers with. */
  readonly status: number;
  /** Whether repeating the identical request can succeed. */
  readonly retryable: boolean;
  /** Seconds a client should wait before it repeats the request, where that is fixed. */
  readonly retryAfterSeconds?: number;
}

/**
 * The published error codes (interface.md, Errors) and, behind them, the additions that the
 * specification's silence made necessary. Codes are only ever added: a client that meets an
 * unknown one goes by its status.
 */
export const ERROR_CODES = {
  unauthenticated: { status: 401, retryable: false },
  no_active_plan: { status: 402, retryable: false },
  credit_limit_reached: { status: 402, retryable: false },
  email_unverified: { status: 403, retryable: false },
  missing_ability: { status: 403, retryable: false },
  invalid_signature: { status: 403, retryable: false },
  signed_url_expired: { status: 403, retryable: false },
  not_found: { status: 404, retryable: false },
  method_not_allowed: { status: 405, retryable: false },
  api_moved: { status: 410, retryable: false },
  validation_failed: { status: 422, retryable: false },
  invalid_url: { status: 422, retryable: false },
  blocked_host: { status: 422, retryable: false },
  target_unreachable: { status: 422, retryable: false },
  rate_limited: { status: 429, retryable: true },
  render_failed: { status: 500, retryable: true },
  server_error: { status: 500, retryable: false },
  upstream_error: { status: 502, retryable: true, retryAfterSeconds: 5 },
  upstream_quota_exceeded: { status: 502, retryable: true, retryAfterSeconds: 3600 },
  upstream_rate_limited: { status: 503, retryable: true, retryAfterSeconds: 2 },
  render_timeout: { status: 504, retryable: true, retryAfterSeconds: 10 },

  bad_request: { status: 400, retryable: false },
  request_timeout: { status: 408, retryable: true },
  payload_too_large: { status: 413, retryable: false },
  request_header_fields_too_large: { status: 431, retryable: false },
  not_ready: { status: 503, retryable: true, retryAfterSeconds: 2 },
} as const satisfies Record<string, ErrorCodeFacts>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Faults by the name of the parameter they belong to. */
export type ParameterFaults = Readonly<Record<string, readonly string[]>>;

/** The body of every non-2xx answer (interface.md, Error envelope). */
export interface ErrorEnvelope {
  readonly code: ErrorCode;
  /** For people; may be reworded at any time. */
  readonly message: string;
  /** Present only when parameters are at fault. */
  readonly errors?: ParameterFaults;
  /** The same value as the `X-Request-Id` header. */
  readonly request_id: string;
}
