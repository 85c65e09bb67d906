import { LIMITS, type UsageReport } from "@snap/protocol";
import { LRUCache } from "lru-cache";
import type { CreditState } from "../credits/credits.ts";
import type { Account } from "../ports/accounts.ts";
import type { Period } from "../ports/ledger.ts";
import type { Plan } from "./plans.ts";

/** An account asks many times in one period. */
const current = new LRUCache<number, Period>({ max: 10_000 });

/**
 * The period that holds `now`: months counted from the account's start, in UTC. A start on the 31st
 * resets on the last day of a shorter month, and on the 31st again in a longer one.
 */
export function periodAt(anchorAt: number, now: number): Period {
  const known = current.get(anchorAt);
  if (known !== undefined && known.startedAt <= now && now < known.resetsAt) return known;
  const period = computePeriod(anchorAt, now);
  current.set(anchorAt, period);
  return period;
}

function computePeriod(anchorAt: number, now: number): Period {
  const anchor = new Date(anchorAt);
  const today = new Date(now);
  const months =
    (today.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + today.getUTCMonth() - anchor.getUTCMonth();
  // The day of this month's reset may still be ahead; before the anchor there is no period.
  const index = Math.max(0, addMonths(anchorAt, months) > now ? months - 1 : months);
  return { startedAt: addMonths(anchorAt, index), resetsAt: addMonths(anchorAt, index + 1) };
}

function addMonths(instant: number, months: number): number {
  const date = new Date(instant);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
  return date.getTime();
}

/** What an account may do at an instant. Without an active plan there is no period and no credit. */
export interface Entitlement {
  readonly plan: Plan | null;
  readonly period: Period | null;
  /** Credits granted for the period. */
  readonly granted: number;
  readonly requestsPerMinute: number;
}

/** A plan that the operator has withdrawn counts as none. */
export function entitlementOf(account: Account, plans: readonly Plan[], now: number): Entitlement {
  const plan = plans.find((candidate) => candidate.slug === account.planSlug) ?? null;
  return {
    plan,
    period: plan === null ? null : periodAt(account.createdAt, now),
    granted: plan === null ? 0 : (account.creditsPerPeriod ?? plan.creditsPerPeriod),
    requestsPerMinute: account.requestsPerMinute ?? plan?.requestsPerMinute ?? LIMITS.rendersPerMinute,
  };
}

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
      cached_requests_per_minute: LIMITS.cachedRequestsPerMinute,
    },
  };
}
