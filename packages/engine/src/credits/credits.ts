import type { Account } from "../ports/accounts.ts";
import type { Balance, Ledger, PeriodGrant, StandingBalance } from "../ports/ledger.ts";
import type { Entitlement } from "../accounts/entitlement.ts";

/** The credits of an account as it may be told them. */
export interface CreditState {
  /** Credits granted for the period. */
  readonly limit: number;
  /** Credits left; never negative. */
  readonly remaining: number;
  readonly used: number;
  /** Instant at which credits are granted again; `null` without a period. */
  readonly resetsAt: number | null;
}

export interface CreditsRequest {
  readonly account: Account;
  readonly entitlement: Entitlement;
  readonly now: number;
  /** What is known to stand: the ledger is then asked only where it has to write first. */
  readonly standing?: StandingBalance | null | undefined;
}

/** The state of the credits at `now`; an account without a period has none. */
export async function readCredits(
  ledger: Ledger,
  { account, entitlement, now, standing = null }: CreditsRequest,
): Promise<CreditState> {
  const { period, granted } = entitlement;
  if (period === null) return { limit: 0, remaining: 0, used: 0, resetsAt: null };
  const look = { accountId: account.id, period, granted, now };
  const balance = standing !== null && isUpToDate(standing, look) ? standing : await ledger.balance(look);
  return {
    limit: balance.granted,
    remaining: remainingOf(balance),
    used: balance.used,
    resetsAt: period.resetsAt,
  };
}

/** Whether the ledger would have nothing to write: no new period, no other grant, no lapse. */
function isUpToDate(
  { periodStartedAt, granted, nextLapseAt }: StandingBalance,
  look: PeriodGrant & { readonly now: number },
): boolean {
  const isOverdue = nextLapseAt !== null && nextLapseAt <= look.now;
  return periodStartedAt === look.period.startedAt && granted === look.granted && !isOverdue;
}

function remainingOf({ granted, used, reserved }: Balance): number {
  return Math.max(0, granted - used - reserved);
}
