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
 * unknown one goes by its status. When each is met is said in its comment, which the reference is made
 * from.
 */
export const ERROR_CODES = {
  /** No bearer token, or one that is unknown, expired or revoked. */
  unauthenticated: { status: 401, retryable: false },
  /** The account has no active plan. Counts as a render against the render limit. */
  no_active_plan: { status: 402, retryable: false },
  /** Every credit of the period is spent. Counts as a render against the render limit. */
  credit_limit_reached: { status: 402, retryable: false },
  /** The account's e-mail address is not verified. */
  email_unverified: { status: 403, retryable: false },
  /** The token lacks the permission for the mode. */
  missing_ability: { status: 403, retryable: false },
  /** The signature of a signed URL does not match, or the token that it names is gone. */
  invalid_signature: { status: 403, retryable: false },
  /** The signature is genuine, and `expires` has passed. */
  signed_url_expired: { status: 403, retryable: false },
  /** A batch id that is unknown, another account's, or of a batch that was deleted; also a path that there isn't. */
  not_found: { status: 404, retryable: false },
  /** The path does not answer this method; `Allow` names those it does. */
  method_not_allowed: { status: 405, retryable: false },
  /** A request to the old paths below `/api/v1`; the message names the new address. */
  api_moved: { status: 410, retryable: false },
  /** A parameter, a combination of them, or the body of a submission did not validate; `errors` names it. */
  validation_failed: { status: 422, retryable: false },
  /** `url` is missing, or no address that the service accepts. */
  invalid_url: { status: 422, retryable: false },
  /** The address leads to a private, loopback or internal host. */
  blocked_host: { status: 422, retryable: false },
  /** The page could not be reached or loaded: no such host, no connection, too many redirects. */
  target_unreachable: { status: 422, retryable: false },
  /** Over a limit per minute; the rate-limit headers are those of the one that refused. */
  rate_limited: { status: 429, retryable: true },
  /** The render failed for a reason that is not recognised. */
  render_failed: { status: 500, retryable: true },
  /** A mistake of the service; report the `request_id`. */
  server_error: { status: 500, retryable: false },
  /** The browser failed, or had to be ended. */
  upstream_error: { status: 502, retryable: true, retryAfterSeconds: 5 },
  /** The rendering backend is out of capacity for the period. */
  upstream_quota_exceeded: { status: 502, retryable: true, retryAfterSeconds: 3600 },
  /** Every place for a render is taken, and so is the queue for one; or every browser elsewhere is busy. */
  upstream_rate_limited: { status: 503, retryable: true, retryAfterSeconds: 2 },
  /** The render did not finish within its time budget. */
  render_timeout: { status: 504, retryable: true, retryAfterSeconds: 10 },

  /** What arrived is not a well-formed HTTP request. */
  bad_request: { status: 400, retryable: false },
  /** The request did not arrive in time. */
  request_timeout: { status: 408, retryable: true },
  /** The body is larger than the service reads. */
  payload_too_large: { status: 413, retryable: false },
  /** The request line and headers together are larger than 64 KiB. */
  request_header_fields_too_large: { status: 431, retryable: false },
  /** The process is about to stop, and takes no new requests. */
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
