import { ERROR_CODES, type ErrorCode, type ParameterFaults } from "@snap/protocol";

/** What an error carries besides its code and the text for the caller. */
export interface SnapErrorFacts {
  /** Faults by parameter name, for `validation_failed` and `invalid_url`. */
  readonly errors?: ParameterFaults;
  /** Seconds to wait; the code's own number unless given. */
  readonly retryAfterSeconds?: number;
  /** The budget that refused, for `rate_limited`. */
  readonly rateLimit?: { readonly limit: number; readonly remaining: number };
  /** For the log only; never shown to the caller. */
  readonly detail?: string;
  readonly cause?: unknown;
}

/**
 * The one family of errors. Tell them apart by `code`; `message` is written for the caller,
 * `detail` for the operator.
 *
 * @example
 * try {
 *   await engine.capture({ principal, parameters: { url: "https://example.com" } });
 * } catch (error) {
 *   if (isSnapError(error) && error.code === "credit_limit_reached") console.log("time for a larger plan");
 *   else throw error;
 * }
 */
export class SnapError extends Error {
  override readonly name = "SnapError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: ParameterFaults | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: { readonly limit: number; readonly remaining: number } | undefined;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, facts: SnapErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    const known: { status: number; retryAfterSeconds?: number } = ERROR_CODES[code];
    this.code = code;
    this.status = known.status;
    this.errors = facts.errors;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? known.retryAfterSeconds;
    this.rateLimit = facts.rateLimit;
    this.detail = facts.detail;
  }
}

/** Works across copies of this package: it goes by the shape, not by the class. */
export function isSnapError(error: unknown): error is SnapError {
  return (
    error instanceof Error && error.name === "SnapError" && "code" in error && typeof error.code === "string"
  );
}

/** Any error as a `SnapError`: what is none is a fault of ours or of the storage, its cause kept for the log. */
export function toSnapError(error: unknown): SnapError {
  if (isSnapError(error)) return error;
  return new SnapError("server_error", "Internal error. If it persists, report the request id.", {
    detail: String(error),
    cause: error,
  });
}

/** A fault in what the operator asked for; the message says what would do. */
export class AdminError extends Error {
  override readonly name = "AdminError";
}
