import { isSnapError, type SnapError } from "../errors.ts";
import type { Pacing } from "./time.ts";
import { factsOf } from "./to-failure.ts";

/** Statuses to retry, if a retry is free, for a proxy's response or for a code that is newer than this package. */
const RETRYABLE_STATUSES: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);
const FIRST_BACKOFF_MS = 500;

interface RetryRules {
  /** Retries so far. */
  readonly retries: number;
  readonly maxRetries: number;
  /** A longer `Retry-After` ends the call instead. */
  readonly maxRetryDelayMs: number;
  readonly retryIsFree: boolean;
  readonly pacing: Pacing;
}

/** Returns the wait before the next attempt in milliseconds, or `null` to give up. */
export function retryDelayMs(
  error: unknown,
  { retries, maxRetries, maxRetryDelayMs, retryIsFree, pacing }: RetryRules,
): number | null {
  if (!isSnapError(error) || retries >= maxRetries || !isRetryable(error, retryIsFree)) return null;
  if (error.retryAfterSeconds === null)
    // full jitter: clients that failed together do not retry together
    return pacing.random() * Math.min(maxRetryDelayMs, FIRST_BACKOFF_MS * 2 ** retries);
  const delayMs = error.retryAfterSeconds * 1000;
  // jitter: clients with the same Retry-After do not retry together
  return delayMs <= maxRetryDelayMs ? delayMs + pacing.random() * FIRST_BACKOFF_MS : null;
}

/** Whether a later attempt may succeed, and can neither repeat work nor charge twice. */
export function isRetryable({ code, status, notes }: SnapError, retryIsFree: boolean): boolean {
  // a failed render with notes would fail the same way again
  if (notes.length > 0) return false;
  if (status === 0) return code === "connection_failed" && retryIsFree;
  // an unknown code may be a proxy's, which gave up while the service did the work
  return factsOf(code)?.retryable ?? (retryIsFree && RETRYABLE_STATUSES.has(status));
}
