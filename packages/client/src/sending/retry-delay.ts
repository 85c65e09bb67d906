import { isSnapError, type SnapError } from "../errors.ts";
import type { Pacing } from "./pacing.ts";
import { factsOf } from "./to-failure.ts";

/** What a code that is newer than this package, or a proxy, says by its status alone. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const FIRST_BACKOFF_MS = 500;

export interface RetryRules {
  /** How many repeats have been made. */
  readonly retries: number;
  readonly maxRetries: number;
  /** A longer wait isn't waited. */
  readonly maxRetryDelayMs: number;
  /** Whether the request costs nothing if the first one went through unseen. */
  readonly repeatIsFree: boolean;
  readonly pacing: Pacing;
}

/** Milliseconds to wait before the next attempt; `null` when there is to be none. */
export function retryDelayMs(
  error: unknown,
  { retries, maxRetries, maxRetryDelayMs, repeatIsFree, pacing }: RetryRules,
): number | null {
  if (!isSnapError(error) || retries >= maxRetries || !isRetryable(error, repeatIsFree)) return null;
  if (error.retryAfter === null)
    // Full jitter: callers that failed together don't come back together.
    return pacing.random() * Math.min(maxRetryDelayMs, FIRST_BACKOFF_MS * 2 ** retries);
  const delayMs = error.retryAfter * 1000;
  // Those who were told the same moment don't come back in the same.
  return delayMs <= maxRetryDelayMs ? delayMs + pacing.random() * FIRST_BACKOFF_MS : null;
}

function isRetryable({ code, status }: SnapError, repeatIsFree: boolean): boolean {
  if (status === 0) return code === "connection_failed" && repeatIsFree;
  const byStatus = RETRYABLE_STATUSES.has(status);
  // Behind a proxy that gave up, the service may have done the work all the same.
  if (code === "unexpected_answer") return repeatIsFree && byStatus;
  return factsOf(code)?.retryable ?? byStatus;
}
