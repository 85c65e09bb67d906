import { DAY_MS } from "../days.ts";
import type { Balance, Ledger, PeriodAudit } from "../ports/ledger.ts";

/** A period whose stored figures contradict each other. */
export interface LedgerDifference extends Pick<
  PeriodAudit,
  "accountId" | "periodStartedAt" | "balance" | "openReservations"
> {
  /** The sums of the journal; `null` if its beginning is missing, or the balance has been pruned. */
  readonly journal: Balance | null;
}

export interface LedgerReport {
  /** Number of periods whose journal was compared with their balance. */
  readonly verifiedPeriods: number;
  /** Number of periods whose journal no longer begins with a grant, or whose balance has been pruned. */
  readonly incompletePeriods: number;
  readonly differences: readonly LedgerDifference[];
}

const ACCOUNTS_PER_PORTION = 1000;
/**
 * A period younger than this is never pruned: it lasts up to 31 days, and the shortest retention keeps it for another
 * 35.
 */
const PRUNED_AGE_MIN_MS = 66 * DAY_MS;

/**
 * Compares every period's balance with its journal and its open reservations, for all accounts or one. Each portion is
 * read consistently, so renders can run in the meantime.
 */
export async function verifyLedger(
  ledger: Pick<Ledger, "audit">,
  { accountId, now }: { readonly accountId?: string | undefined; readonly now: number },
): Promise<LedgerReport> {
  const differences: LedgerDifference[] = [];
  let [verifiedPeriods, incompletePeriods] = [0, 0];
  for (let after: string | null = null; ;) {
    const portion = await ledger.audit({ after, limit: ACCOUNTS_PER_PORTION, accountId });
    for (const period of portion.periods) {
      const journal = period.balance === null ? null : journalSums(period);
      if (journal === null) incompletePeriods += 1;
      else verifiedPeriods += 1;
      if (differs(period, journal, now)) differences.push(toDifference(period, journal));
    }
    if (portion.next === null) return { verifiedPeriods, incompletePeriods, differences };
    after = portion.next;
  }
}

const ZERO_BALANCE: Balance = { granted: 0, used: 0, reserved: 0 };

/** Returns the sums of the journal, or `null` if its beginning is missing. */
function journalSums({ balance, journal, beginsWithGrant }: PeriodAudit): Balance | null {
  if (journal !== null) return beginsWithGrant ? journal : null;
  // a period without credits has no entries
  return balance !== null && isSame(balance, ZERO_BALANCE) ? ZERO_BALANCE : null;
}

/**
 * If the journal is incomplete, the balance is compared only with the open reservations. Pruning deletes a balance
 * first, then its journal.
 */
function differs(
  { balance, openReservations, periodStartedAt }: PeriodAudit,
  journal: Balance | null,
  now: number,
): boolean {
  if (balance === null) return openReservations > 0 || periodStartedAt > now - PRUNED_AGE_MIN_MS;
  return balance.reserved !== openReservations || (journal !== null && !isSame(balance, journal));
}

function isSame(left: Balance, right: Balance): boolean {
  return left.granted === right.granted && left.used === right.used && left.reserved === right.reserved;
}

function toDifference(period: PeriodAudit, journal: Balance | null): LedgerDifference {
  const { accountId, periodStartedAt, balance, openReservations } = period;
  return { accountId, periodStartedAt, balance, journal, openReservations };
}
