import { LIMITS, type UsageReport } from "@snap/protocol";
import type { CreditState } from "../credits/credits.ts";
import type { Entitlement } from "./entitlement.ts";

/** The document of `GET /usage` (interface.md, Usage report). */
export function usageReport(
  { plan, period, requestsPerMinute }: Entitlement,
  credits: CreditState,
): UsageReport {
  return {
    credits: { remaining: credits.remaining, used: credits.used, total: credits.limit },
    plan: plan === null ? null : { name: plan.name, slug: plan.slug },
    period:
      period === null
        ? null
        : {
            started_at: new Date(period.startedAt).toISOString(),
            resets_at: new Date(period.resetsAt).toISOString(),
          },
    rate_limit: {
      requests_per_minute: requestsPerMinute,
      cached_requests_per_minute: LIMITS.cachedAnswersPerMinute,
    },
  };
}
