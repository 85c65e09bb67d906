import type { ErrorCode, ParameterFaults } from "@snap/protocol";

/**
 * The client's own codes, for failures without an error envelope:
 * - `connection_failed`: no response, or an incomplete one (status 0).
 * - `timed_out`: no complete response within the timeout (status 0).
 * - `unexpected_answer`: a response that is not from the service, such as a proxy's 502 page (with its status).
 * - `no_signed_url`: a batch item that has nothing to download (status 0).
 */
export type ClientErrorCode = "connection_failed" | "timed_out" | "unexpected_answer" | "no_signed_url";

/** The fields of an error in addition to its code and message. */
export interface SnapErrorFacts {
  readonly status: number;
  readonly requestId?: string | null | undefined;
  readonly retryAfter?: number | null | undefined;
  readonly errors?: ParameterFaults | null | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly cause?: unknown;
}

/**
 * The error of every failed call. Branch on `code`; handle a code that is newer than this package by its `status`.
 * Messages are for people; their wording may change. The client never puts the token or signing secret into an error,
 * but `cause` is `fetch`'s unmodified error.
 *
 * @example
 * try {
 *   await snap.screenshot({ url: "https://example.com" });
 * } catch (error) {
 *   if (!isSnapError(error)) throw error;
 *   if (error.code === "credit_limit_reached") console.log("no credits left");
 *   else console.error(error.code, error.message, error.requestId);
 * }
 */
export class SnapError extends Error {
  override readonly name = "SnapError";
  // the empty intersection preserves autocompletion of the known codes
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** Quote it in a bug report; `null` if no request reached the service. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry; `null` if unspecified. */
  readonly retryAfter: number | null;
  /** Error messages by parameter name; `null` if the error is not about parameters. */
  readonly errors: ParameterFaults | null;
  /** Notes on a failed render, such as `capture-too-large` or `selector-unmatched`; a retry fails the same way. */
  readonly notes: readonly string[];

  constructor(code: string, message: string, facts: SnapErrorFacts) {
    super(message, facts);
    this.code = code;
    this.status = facts.status;
    this.requestId = facts.requestId ?? null;
    this.retryAfter = facts.retryAfter ?? null;
    this.errors = facts.errors ?? null;
    this.notes = facts.notes ?? [];
  }
}

/** Checks the shape, not the class, so it works across copies of this package. */
export function isSnapError(error: unknown): error is SnapError {
  return error instanceof Error && error.name === "SnapError" && "code" in error && "status" in error;
}
