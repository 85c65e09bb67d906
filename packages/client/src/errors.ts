import type { ErrorCode, ParameterFaults } from "@snap/protocol";

/**
 * Codes that the client makes itself, where there is no error envelope to take one from:
 * - `connection_failed`: no answer came, or it broke off (status 0).
 * - `timed_out`: no complete answer within the time-out (status 0).
 * - `unexpected_answer`: an answer that isn't the service's, such as a proxy's own 502 page; `status` is
 *   that of the answer.
 * - `no_signed_url`: an item of a batch that has nothing to download (status 0).
 */
export type ClientErrorCode = "connection_failed" | "timed_out" | "unexpected_answer" | "no_signed_url";

/** What an error carries besides its code and message. */
export interface SnapErrorFacts {
  readonly status: number;
  readonly requestId?: string | null | undefined;
  readonly retryAfter?: number | null | undefined;
  readonly errors?: ParameterFaults | null | undefined;
  readonly cause?: unknown;
}

/**
 * Every failure of a call. Branch on `code`; a code that is newer than this package is to be treated as
 * its `status`. Messages are for people and may be reworded. Neither the token nor the signing secret is
 * in an error of the client's own; `cause` is what a `fetch` threw, as it threw it.
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
  // The empty intersection keeps the known codes in an editor's list.
  readonly code: ErrorCode | ClientErrorCode | (string & {});
  /** HTTP status; 0 where there was no answer. */
  readonly status: number;
  /** To be named when a fault is reported; `null` where the service was not asked. */
  readonly requestId: string | null;
  /** Seconds to wait before a repeat; `null` where nothing is said about it. */
  readonly retryAfter: number | null;
  /** Faults by the name of the parameter; `null` where no parameter is at fault. */
  readonly errors: ParameterFaults | null;

  constructor(code: string, message: string, facts: SnapErrorFacts) {
    super(message, facts);
    this.code = code;
    this.status = facts.status;
    this.requestId = facts.requestId ?? null;
    this.retryAfter = facts.retryAfter ?? null;
    this.errors = facts.errors ?? null;
  }
}

/** Works across copies of this package: it goes by the shape, not by the class. */
export function isSnapError(error: unknown): error is SnapError {
  return error instanceof Error && error.name === "SnapError" && "code" in error && "status" in error;
}
