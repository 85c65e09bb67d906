/** The rate limits of an account. */
export type RateLimitName = "render" | "cached" | "usage" | "submission" | "upload";

export interface ConsumeRequest {
  readonly accountId: string;
  readonly name: RateLimitName;
  /** Requests per window. */
  readonly limit: number;
  /** Length of a window that this request opens. */
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
 * it ends; a rejected request consumes nothing. Atomic: of N concurrent requests against a limit of L, exactly L are
 * allowed.
 *
 * Every request, rejected or not, moves the end of its window to `now + windowMs` at most: the clock may have been set
 * back since the window opened, or be behind the clock of the process that opened it.
 */
export interface RateLimiter {
  consume(request: ConsumeRequest): Promise<ConsumeResult>;
  /** Deletes the windows of an account. */
  deleteAccount(request: { readonly accountId: string }): Promise<void>;
}
