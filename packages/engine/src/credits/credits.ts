import type { Account } from "../ports/accounts.ts";
import type { Balance, Ledger, PeriodGrant, StandingBalance } from "../ports/ledger.ts";
import type { Entitlement } from "../accounts/entitlement.ts";

/** An account's credits, as shown to the caller. */
export interface CreditState {
  /** Credits granted for the period. */
  readonly limit: number;
  /** Credits left; never negative. */
  readonly remaining: number;
  readonly used: number;
  /** When new credits are granted; `null` if there is no period. */
  readonly resetsAt: number | null;
}

export interface CreditsRequest {
  readonly account: Account;
  readonly entitlement: Entitlement;
  readonly now: number;
  /** A balance that was just read. If it is up to date, the ledger is not called. */
  readonly standing?: StandingBalance | null | undefined;
}

/** Returns the credits at `now`; an account without a period has none. */
export async function readCredits(
  ledger: Ledger,
  { account, entitlement, now, standing: storedBalance = null }: CreditsRequest,
): Promise<CreditState> {
  const { period, granted } = entitlement;
  if (period === null) return { limit: 0, remaining: 0, used: 0, resetsAt: null };
  const grant = { accountId: account.id, period, granted, now };
  const balance =
    storedBalance !== null && isUpToDate(storedBalance, grant) ? storedBalance : await ledger.balance(grant);
  return {
    limit: balance.granted,
    remaining: remainingOf(balance),
    used: balance.used,
    resetsAt: period.resetsAt,
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
