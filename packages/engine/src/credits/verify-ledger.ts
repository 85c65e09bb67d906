import type { Balance, Ledger, PeriodAudit } from "../ports/ledger.ts";

/** A period of which the stored figures contradict each other. */
export interface LedgerDifference extends Pick<
  PeriodAudit,
  "accountId" | "periodStartedAt" | "balance" | "openReservations"
> {
  /** The sums of the journal; `null` if its beginning is missing. */
  readonly journal: Balance | null;
}

export interface LedgerReport {
  /** Number of periods whose journal was compared with their balance. */
  readonly verifiedPeriods: number;
  /** Number of periods whose journal no longer begins with a grant, or whose balance is pruned. */
  readonly incompletePeriods: number;
  readonly differences: readonly LedgerDifference[];
}

const ACCOUNTS_PER_PORTION = 1000;
/** A younger period is never pruned: with the shortest retention, 35 days after the end of a month. */
const PRUNED_AGE_MIN_MS = 66 * 24 * 60 * 60_000;

/**
 * Compares the balance of every period with its journal and its open reservations, for all accounts or one. The portions
 * are consistent in themselves, so renders may run meanwhile.
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
      const journal = period.balance === null ? null : completeJournal(period);
      if (journal === null) incompletePeriods += 1;
      else verifiedPeriods += 1;
      if (differs(period, journal, now)) differences.push(toDifference(period, journal));
    }
    if (portion.next === null) return { verifiedPeriods, incompletePeriods, differences };
    after = portion.next;
  }
}

const NOTHING: Balance = { granted: 0, used: 0, reserved: 0 };

/** Returns the sums of the journal, or `null` if its beginning is missing. */
function completeJournal({ balance, journal, beginsWithGrant }: PeriodAudit): Balance | null {
  if (journal !== null) return beginsWithGrant ? journal : null;
  // a period without credits has no entries
  return balance !== null && isSame(balance, NOTHING) ? NOTHING : null;
}

/**
 * A period whose journal is incomplete is compared with its open reservations only. Pruning deletes a balance first, and
 * then its journal.
 */
function differs(
  { balance, openReservations, periodStartedAt }: PeriodAudit,
  journal: Balance | null,
  now: number,
): boolean {
  if (balance === null) return openReservations > 0 || periodStartedAt > now - PRUNED_AGE_MIN_MS;
  return balance.reserved !== openReservations || (journal !== null && !isSame(balance, journal));
}

function isSame(one: Balance, other: Balance): boolean {
  return one.granted === other.granted && one.used === other.used && one.reserved === other.reserved;
}

function toDifference(period: PeriodAudit, journal: Balance | null): LedgerDifference {
  const { accountId, periodStartedAt, balance, openReservations } = period;
  return { accountId, periodStartedAt, balance, journal, openReservations };
}
