import { LIMITS, type UsageReport } from "@snap/protocol";
import type { CreditState } from "../credits/credits.ts";
import type { Account } from "../ports/accounts.ts";
import type { Period } from "../ports/ledger.ts";
import { findPlan, type Plan } from "./plans.ts";

/**
 * Returns the period that contains `now`. Periods are months in UTC, counted from `anchorAt`, the account's
 * creation time. In a month without the anchor's day, the period starts on the
 * month's last day.
 */
export function periodAt(anchorAt: number, now: number): Period {
  const anchor = new Date(anchorAt);
  const today = new Date(now);
  const months =
    (today.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + today.getUTCMonth() - anchor.getUTCMonth();
  // this month's reset may not have happened yet; the first period starts at the anchor
  const index = Math.max(0, addMonths(anchorAt, months) > now ? months - 1 : months);
  return { startedAt: addMonths(anchorAt, index), resetsAt: addMonths(anchorAt, index + 1) };
}

/**
 * Returns the instant by which the next period's credits are granted, in epoch milliseconds: its start, rounded up to a
 * whole second, because `X-Credits-Reset` has no fractions.
 */
export function nextGrantAt({ resetsAt }: Period): number {
  return Math.ceil(resetsAt / 1000) * 1000;
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

/** An account's limits at a given time. Without an active plan, it has no period and no credits. */
export interface Entitlement {
  readonly plan: Plan | null;
  readonly period: Period | null;
  /** Credits granted for the period. */
  readonly granted: number;
  readonly requestsPerMinute: number;
}

/** The fields that determine an account's limits. */
export type EntitledAccount = Pick<
  Account,
  "planSlug" | "creditsPerPeriod" | "requestsPerMinute" | "createdAt"
>;

/** Returns an account's limits. A plan that is no longer configured counts as no plan. */
export function entitlementOf(account: EntitledAccount, plans: readonly Plan[], now: number): Entitlement {
  const plan = findPlan(plans, account.planSlug);
  return {
    plan,
    period: plan === null ? null : periodAt(account.createdAt, now),
    granted: plan === null ? 0 : (account.creditsPerPeriod ?? plan.creditsPerPeriod),
    requestsPerMinute: account.requestsPerMinute ?? plan?.requestsPerMinute ?? LIMITS.rendersPerMinute,
  };
}

/** Returns the body of `GET /usage`. */
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
            resets_at: new Date(nextGrantAt(period)).toISOString(),
          },
    rate_limit: {
      requests_per_minute: requestsPerMinute,
      cached_requests_per_minute: LIMITS.cachedRequestsPerMinute,
    },
  };
}
