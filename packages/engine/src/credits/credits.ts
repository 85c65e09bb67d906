import { SnapError } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type {
  Balance,
  Ledger,
  Period,
  PeriodGrant,
  ReserveOutcome,
  ReserveRequest,
  StandingBalance,
} from "../ports/ledger.ts";
import type { RememberedPrincipal } from "../tokens/asker.ts";
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

export interface CreditReservation {
  readonly account: Account;
  readonly entitlement: Entitlement;
  readonly reservationId: string;
  readonly now: number;
  readonly leaseMs: number;
}

/**
 * Takes one credit for a render that is about to start; it lapses by itself unless resolved. Answers the
 * balance without it, which is also the one behind its settlement as far as what is left goes.
 *
 * @throws SnapError `no_active_plan` or `credit_limit_reached`.
 */
export async function reserveCredit(ledger: Ledger, wanted: CreditReservation): Promise<StandingBalance> {
  const request = reserveRequest(wanted);
  return requireReserved(await ledger.reserve(request), request.period);
}

/**
 * The same for somebody remembered, who is checked by it; `null`, and nothing is taken, where they are no
 * longer as they are remembered.
 *
 * @throws SnapError `no_active_plan` or `credit_limit_reached`.
 */
export async function reserveAsRemembered(
  ledger: Ledger,
  { asker, ...wanted }: CreditReservation & { readonly asker: RememberedPrincipal },
): Promise<StandingBalance | null> {
  const request = reserveRequest(wanted);
  const outcome = await ledger.reserveRemembered({ ...request, remembered: asker.remembered });
  if (outcome === null) return null;
  asker.confirm();
  return requireReserved(outcome, request.period);
}

function reserveRequest({
  account,
  entitlement,
  reservationId,
  now,
  leaseMs,
}: CreditReservation): ReserveRequest {
  const { period, granted } = entitlement;
  if (period === null)
    throw new SnapError("no_active_plan", "The account has no active plan; choose one to render pages.");
  return { accountId: account.id, reservationId, period, granted, now, lapsesAt: now + leaseMs };
}

function requireReserved({ reserved, balance }: ReserveOutcome, period: Period): StandingBalance {
  if (!reserved) throw new SnapError("credit_limit_reached", spentMessage(period));
  // Whatever was overdue has just lapsed.
  return { ...balance, periodStartedAt: period.startedAt, nextLapseAt: null };
}

function remainingOf({ granted, used, reserved }: Balance): number {
  return Math.max(0, granted - used - reserved);
}

function spentMessage(period: Period): string {
  return `Every credit of the period is spent; credits are granted again at ${new Date(period.resetsAt).toISOString()}.`;
}
