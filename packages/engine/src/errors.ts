import { ERROR_CODES, type ErrorCode, type ParameterProblems, type ProblemList } from "@snap/protocol";
import type { Account } from "./ports/accounts.ts";

/** A rate limit that rejected a request. */
interface ExceededRateLimit {
  readonly limit: number;
  readonly remaining: number;
  /** End of its window, in epoch milliseconds. */
  readonly resetsAt: number;
}

/** Optional fields of an error, in addition to its code and message. */
export interface SnapErrorFacts {
  /** Error messages by the name of the parameter, field or file that they concern. */
  readonly errors?: ParameterProblems | undefined;
  /** Seconds until a retry may succeed; by default, the value for the code. */
  readonly retryAfterSeconds?: number | undefined;
  /** State of the exceeded rate limit, for `rate_limited`. */
  readonly rateLimit?: ExceededRateLimit | undefined;
  /** Whether the cause is temporary and not the page; if so, a batch item is retried. `false` by default. */
  readonly isTransient?: boolean | undefined;
  /** Notes on a failed render, such as `capture-too-large`. If there are any, a retry fails the same way. */
  readonly notes?: readonly string[] | undefined;
  /** Whether the page would have harmed other renders: the renderer ended it, or it killed its isolated browser. */
  readonly pageEnded?: boolean | undefined;
  /** For the log; never shown to the caller. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The error that a caller's failed operation throws; an operator's throws `AdminError`. Distinguish errors by
 * `code`; `message` is for the caller, `detail` for the operator.
 *
 * @example
 * try {
 *   await engine.capture({ principal, parameters: { url: "https://example.com" } });
 * } catch (error) {
 *   if (isSnapError(error) && error.code === "credit_limit_reached") console.log("upgrade the plan");
 *   else throw error;
 * }
 */
export class SnapError extends Error {
  override readonly name = "SnapError";
  readonly code: ErrorCode;
  readonly status: number;
  readonly errors: ParameterProblems | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly rateLimit: ExceededRateLimit | undefined;
  readonly isTransient: boolean;
  readonly notes: readonly string[];
  readonly pageEnded: boolean;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, facts: SnapErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    const defaults: { status: number; retryAfterSeconds?: number } = ERROR_CODES[code];
    this.code = code;
    this.status = defaults.status;
    this.errors = facts.errors;
    this.retryAfterSeconds = facts.retryAfterSeconds ?? defaults.retryAfterSeconds;
    this.rateLimit = facts.rateLimit;
    this.isTransient = facts.isTransient ?? false;
    this.notes = facts.notes ?? [];
    this.pageEnded = facts.pageEnded ?? false;
    this.detail = facts.detail;
  }
}

/**
 * Returns whether this is a `SnapError`. Checks the shape, not the class, so it works across copies of this package.
 */
export function isSnapError(error: unknown): error is SnapError {
  return (
    error instanceof Error && error.name === "SnapError" && "code" in error && typeof error.code === "string"
  );
}

/**
 * Returns a `SnapError` unchanged, and any other error as a `server_error` with the original as `cause` for the log.
 */
export function toSnapError(error: unknown): SnapError {
  if (isSnapError(error)) return error;
  return new SnapError("server_error", "Internal error. If it persists, report the request id.", {
    detail: String(error),
    cause: error,
  });
}

/** Returns the message of anything that was thrown. */
export function messageOf(error: unknown): string {
  // if all of a name's addresses refuse the connection, Node.js throws one error that groups theirs, without a message
  if (error instanceof AggregateError && error.message === "") return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

/** Returns the error for one invalid parameter, field or file. */
export function invalidParameter(name: string, problem: string): SnapError {
  return new SnapError("validation_failed", `${name} ${problem}`, { errors: { [name]: [problem] } });
}

/**
 * @param code - By default `invalid_url` if only `url` is invalid, `validation_failed` otherwise.
 * @throws SnapError that lists the problems, if there are any.
 */
export function rejectProblems(problems: ProblemList, code?: ErrorCode): void {
  const failure = problems.toFailure();
  if (failure !== null)
    throw new SnapError(code ?? failure.code, failure.message, { errors: failure.errors });
}

/** Resolves as `work` does. Rejects with a `SnapError`, into which any other error is converted. */
export async function asSnapError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw toSnapError(error);
  }
}

/** The kind of an `AdminError`; `refused` covers everything without a more specific code. */
export type AdminErrorCode =
  | "account_not_found"
  | "batch_not_found"
  | "cannot_redeliver"
  | "email_taken"
  | "invalid_value"
  | "refused"
  | "request_not_found"
  | "token_not_found";

/** A request from the operator that cannot be fulfilled. */
export class AdminError extends Error {
  override readonly name = "AdminError";
  readonly code: AdminErrorCode;
  /** What to do about it, unless the message includes that. */
  readonly advice: string | null;

  constructor(
    message: string,
    {
      code = "refused",
      advice = null,
    }: { readonly code?: AdminErrorCode; readonly advice?: string | null } = {},
  ) {
    super(message);
    this.code = code;
    this.advice = advice;
  }
}

/** @throws AdminError if the account's deletion has started. */
export function requireNotBeingDeleted({ id, deletionStartedAt }: Account): void {
  if (deletionStartedAt !== null) throw new AdminError(`account ${id} is being deleted`);
}

/** @param reference - Its id or email address. */
export function accountNotFound(reference: string): AdminError {
  const message = reference.includes("@")
    ? `no account has the email address ${reference}`
    : `account ${reference} not found`;
  return new AdminError(message, {
    code: "account_not_found",
    advice: "`snap-server accounts list` lists all accounts",
  });
}
