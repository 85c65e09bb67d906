import { BATCH_LIMITS, DOCUMENT_LIMITS, LIMITS } from "@snap/protocol";
import { SnapError } from "../errors.ts";
import type { ConsumeRequest, RateLimiter, RateLimitName } from "../ports/rate-limiter.ts";

const WINDOW_MS = 60_000;

/** What each limit counts, and how many it allows per minute; the limit on renders depends on the account. */
const LIMITS_PER_MINUTE = {
  render: { unit: "renders" },
  cached: { unit: "cached responses", perMinute: LIMITS.cachedRequestsPerMinute },
  usage: { unit: "usage reports", perMinute: LIMITS.usageReportsPerMinute },
  submission: { unit: "submissions", perMinute: BATCH_LIMITS.submissionsPerMinute },
  upload: { unit: "uploads", perMinute: DOCUMENT_LIMITS.uploadsPerMinute },
} as const satisfies Readonly<Record<RateLimitName, object>>;

export type RateLimitRequest = Pick<ConsumeRequest, "accountId" | "now"> &
  ({ readonly name: "render"; readonly limit: number } | { readonly name: Exclude<RateLimitName, "render"> });

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
  const { accountId, name, now } = request;
  const { unit } = LIMITS_PER_MINUTE[name];
  const limit = request.name === "render" ? request.limit : LIMITS_PER_MINUTE[request.name].perMinute;
  const consumed = rateLimiter.consume({ accountId, name, limit, windowMs: WINDOW_MS, now });
  const { allowed, remaining, resetsAt } = await consumed;
  if (allowed) return { limit, remaining };
  const retryAfterSeconds = Math.max(1, Math.ceil((resetsAt - now) / 1000));
  throw new SnapError(
    "rate_limited",
    `Rate limit of ${limit} ${unit} per minute reached; retry in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, rateLimit: { limit, remaining: 0, resetsAt } },
  );
}
