/** An account's rate limits. */
export type RateLimitName = "render" | "cached" | "usage" | "submission" | "upload";

export interface ConsumeRequest {
  readonly accountId: string;
  readonly name: RateLimitName;
  /** Requests per window. */
  readonly limit: number;
  /** Length of a window that this request opens, and the longest that an open one may still last. */
  readonly windowMs: number;
  readonly now: number;
}

export interface ConsumeResult {
  readonly allowed: boolean;
  /** Requests left in the window after this one; 0 when rejected. */
  readonly remaining: number;
  /** End of the window. */
  readonly resetsAt: number;
}

/**
 * Rate limits with fixed windows, per account. A window opens with its first request and allows `limit` of them until
 * it ends, at the millisecond `resetsAt`; a rejected request consumes nothing, and opens no window.
 * Atomic: if more than `limit` requests are concurrent, exactly `limit` of them are allowed. Each
 * name has its own window.
 *
 * The request's `limit` applies, even if the window was opened with a different one; `windowMs` does not lengthen an
 * open window. With a `limit` of 0, every request is rejected; if no window is open, `resetsAt` is `now + windowMs`.
 *
 * If an open window would end after `now + windowMs`, any request, even a rejected one, moves its end to that instant:
 * the clock may have been set back since the window opened, or may be behind the clock of the process that opened it.
 */
export interface RateLimiter {
  consume(request: ConsumeRequest): Promise<ConsumeResult>;
  /** Deletes an account's windows. */
  deleteAccount(request: { readonly accountId: string }): Promise<void>;
}
