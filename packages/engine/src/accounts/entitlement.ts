import { LIMITS } from "@snap/protocol";
import type { Account } from "../ports/accounts.ts";
import type { Period } from "../ports/ledger.ts";
import { periodAt } from "./period.ts";
import type { Plan } from "./plans.ts";

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
