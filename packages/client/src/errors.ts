import type { ErrorCode, ParameterProblems } from "@snap/protocol";

/**
 * The client's own codes, for failures without an error envelope:
 * - `connection_failed`: no response, or an incomplete one (status 0).
 * - `timed_out`: no complete response or, for `batches.wait()` and `batches.items()`, no complete batch within the
 *   timeout (status 0).
 * - `unexpected_answer`: a response that is not from the service, such as a proxy's 502 page (with its
 *   status, or 0 for a redirect in a browser).
 * - `no_signed_url`: a batch item that has nothing to download (status 0).
 * - `aborted`: the call's signal was aborted; its reason is the `cause` (status 0).
 * - `misconfigured`: an option or argument is missing or malformed. A mistake in the calling program (status 0).
 */
export type ClientErrorCode =
  "connection_failed" | "timed_out" | "unexpected_answer" | "no_signed_url" | "aborted" | "misconfigured";

/** The fields of an error in addition to its code and message. */
export interface SnapErrorFacts {
  readonly status: number;
  readonly requestId?: string | null | undefined;
  readonly retryAfterSeconds?: number | null | undefined;
  readonly errors?: ParameterProblems | null | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly cause?: unknown;
}

/**
 * The error that every failed call throws, and that invalid options throw. Branch on `code`; for a code newer than this
 * package, fall back to `status`. Messages are for people; their wording may change. The client
 * never puts the token or signing secret into an error: the `cause` of `connection_failed` is a
 * copy of `fetch`'s error (name, message, stack, code and causes) with the token removed.
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
  /**
   * HTTP status: of the response, or of `code` if it is one of the service's; 0 for the client's own codes
   * without a response.
   */
  readonly status: number;
  /** Quote this in a bug report; `null` without a response from the service. */
  readonly requestId: string | null;
  /** Seconds to wait before a retry; `null` if unspecified. */
  readonly retryAfterSeconds: number | null;
  /** Error messages by parameter name; `null` if the error is not about parameters. */
  readonly errors: ParameterProblems | null;
  /** Notes on a failed render, such as `capture-too-large` or `selector-unmatched`; a retry fails the same way. */
  readonly notes: readonly string[];

  constructor(code: string, message: string, facts: SnapErrorFacts) {
    super(message, facts);
    this.code = code;
    this.status = facts.status;
    this.requestId = facts.requestId ?? null;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? null;
    this.errors = facts.errors ?? null;
    this.notes = facts.notes ?? [];
  }
}

/** Returns the error for an option or argument that is missing or malformed. */
export function misconfigured(message: string): SnapError {
  return new SnapError("misconfigured", message, { status: 0 });
}

/** Returns the error for a call whose signal was aborted. */
export function aborted({ reason }: AbortSignal): SnapError {
  return new SnapError("aborted", "The call's signal was aborted.", { status: 0, cause: reason });
}

/** Checks the shape, not the class, so it works across copies of this package. */
export function isSnapError(error: unknown): error is SnapError {
  return error instanceof Error && error.name === "SnapError" && "code" in error && "status" in error;
}
