import { entitlementOf, nextGrantAt } from "../accounts/entitlement.ts";
import type { Plan } from "../accounts/plans.ts";
import type { Account } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Balance, Ledger, PeriodGrant, StandingBalance } from "../ports/ledger.ts";

/** An account's credits, as shown to the caller. */
export interface CreditState {
  /** Credits granted for the period. */
  readonly limit: number;
  /** Credits left; never negative. */
  readonly remaining: number;
  readonly used: number;
  /** The whole second, in epoch milliseconds, by which new credits are granted; `null` if there is no period. */
  readonly resetsAt: number | null;
}

/** Reads an account's credits. A balance that was just read is used instead of the ledger, if it is up to date. */
export type ReadCredits = (account: Account, standing?: StandingBalance | null) => Promise<CreditState>;

/** Creates a function that returns the credits; an account without a period has none. */
export function createCreditReader({
  ledger,
  plans,
  clock,
}: {
  readonly ledger: Ledger;
  readonly plans: readonly Plan[];
  readonly clock: Clock;
}): ReadCredits {
  return async (account, standing = null) => {
    const now = clock.now();
    const { period, granted } = entitlementOf(account, plans, now);
    if (period === null) return { limit: 0, remaining: 0, used: 0, resetsAt: null };
    const grant = { accountId: account.id, period, granted, now };
    const balance = standing !== null && isUpToDate(standing, grant) ? standing : await ledger.balance(grant);
    return {
      limit: balance.granted,
      remaining: remainingOf(balance),
      used: balance.used,
      resetsAt: nextGrantAt(period),
    };
  };
}

/** Returns whether the balance is up to date: no new period, no changed grant, no lapsed reservation. */
function isUpToDate(
  { periodStartedAt, granted, nextLapseAt }: StandingBalance,
  grant: PeriodGrant & { readonly now: number },
): boolean {
  const hasLapsedReservation = nextLapseAt !== null && nextLapseAt <= grant.now;
  return periodStartedAt === grant.period.startedAt && granted === grant.granted && !hasLapsedReservation;
}

function remainingOf({ granted, used, reserved }: Balance): number {
  return Math.max(0, granted - used - reserved);
}
