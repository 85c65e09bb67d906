import { SnapError } from "../errors.ts";
import type { ConsumeRequest, RateLimiter, RateLimitName } from "../ports/rate-limiter.ts";

const WINDOW_MS = 60_000;

const LIMIT_UNITS: Readonly<Record<RateLimitName, string>> = {
  render: "renders",
  cached: "cached responses",
  usage: "usage reports",
  submission: "batches",
  upload: "uploads",
};

export type RateLimitRequest = Omit<ConsumeRequest, "windowMs">;

/** The state of a rate limit after counting a request. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
}

/**
 * Counts a request against one of the account's limits per minute.
 *
 * @throws SnapError `rate_limited` with the limit and the seconds until the window ends.
 */
export async function enforceRateLimit(
  rateLimiter: RateLimiter,
  request: RateLimitRequest,
): Promise<RateLimitState> {
  const { name, limit, now } = request;
  const { allowed, remaining, resetsAt } = await rateLimiter.consume({ ...request, windowMs: WINDOW_MS });
  if (allowed) return { limit, remaining };
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - now) / 1000));
  throw new SnapError(
    "rate_limited",
    `Rate limit of ${limit} ${LIMIT_UNITS[name]} per minute reached; retry in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, rateLimit: { limit, remaining: 0 } },
  );
}
