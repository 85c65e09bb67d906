import { entitlementOf, nextGrantAt } from "../accounts/entitlement.ts";
import type { Plan } from "../accounts/plans.ts";
import type { EngineEvent } from "../engine-event.ts";
import { SnapError } from "../errors.ts";
import { orderedId } from "../ids.ts";
import type { Account } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ledger, Period, Resolution, StandingBalance } from "../ports/ledger.ts";
import type { Random } from "../ports/random.ts";
import type { StoredRendering } from "../ports/renderings.ts";
import type { Reversals } from "./reversals.ts";

export interface CreditDependencies {
  readonly ledger: Ledger;
  readonly reversals: Reversals;
  readonly clock: Clock;
  readonly random: Random;
  readonly plans: readonly Plan[];
  readonly reservationLeaseMs: number;
  readonly onEvent: (event: EngineEvent) => void;
  readonly onBackgroundError: (error: unknown) => void;
}

/** A credit reserved for a render. */
export interface Reservation {
  readonly id: string;
  /** The account's balance after the reservation. Settlement does not change the remaining credits. */
  readonly balance: StandingBalance;
}

/** What the credit was reserved for. */
export interface RenderResult {
  readonly rendering: StoredRendering;
  readonly isCached: boolean;
  /** Where the rendering was stored, besides the cache. */
  readonly storedLocation: string | null;
}

/** Settles the reservation in one transaction with other writes; returns how it ended. */
export type Settle = (
  settlement: RenderResult & { readonly reservationId: string; readonly now: number },
) => Promise<Resolution>;

/**
 * Reserves one credit for a render. The reservation lapses by itself unless it is settled or refunded.
 *
 * @throws SnapError `no_active_plan` or `credit_limit_reached`.
 */
export async function reserve(
  { ledger, clock, random, plans, reservationLeaseMs, onEvent }: CreditDependencies,
  account: Account,
): Promise<Reservation> {
  const now = clock.now();
  const { period, granted } = entitlementOf(account, plans, now);
  if (period === null)
    throw new SnapError("no_active_plan", "The account has no active plan; choose one to render pages.");
  const id = newReservationId(random, now);
  const lapsesAt = now + reservationLeaseMs;
  const request = { accountId: account.id, reservationId: id, period, granted, now, lapsesAt };
  const { reserved, balance } = await ledger.reserve(request).catch((error: unknown) => {
    onEvent({ type: "ledger-failed", operation: "reserve" });
    throw error;
  });
  if (!reserved) throw new SnapError("credit_limit_reached", creditLimitMessage(period));
  // no reservation is overdue: the ledger has just marked those as lapsed
  return { id, balance: { ...balance, periodStartedAt: period.startedAt, nextLapseAt: null } };
}

/**
 * Refunds the credit. If the ledger fails, the reservation is reversed in the background, with retries for a
 * day.
 */
export async function refund(dependencies: CreditDependencies, { id }: Reservation): Promise<void> {
  if ((await tryRefund(dependencies, id)) === null) dependencies.reversals.add(id);
}

/** Returns how the reservation ended; `null` if the ledger failed. */
async function tryRefund(
  { ledger, clock, onEvent, onBackgroundError }: CreditDependencies,
  reservationId: string,
): Promise<Resolution | null> {
  try {
    const resolution = await ledger.refund({ reservationId, now: clock.now() });
    onEvent({ type: "reservation-ended", resolution });
    return resolution;
  } catch (error) {
    onEvent({ type: "ledger-failed", operation: "refund" });
    onBackgroundError(error);
    return null;
  }
}

/**
 * Charges the credit for a rendering; returns whether it was charged. If the settlement's result is
 * unknown, a refund shows whether the credit was charged; if it was, the request succeeds. If the refund also
 * fails, the request fails and, without `settle`, the charge is reversed in the background.
 *
 * @throws the settlement's error. Without `settle`, the request is then not charged, or its charge is still to be
 * reversed.
 */
export async function settle(
  dependencies: CreditDependencies,
  {
    reservation: { id: reservationId },
    settle: write,
    ...result
  }: RenderResult & {
    readonly reservation: Reservation;
    /** By default, the ledger settles it in a separate transaction. */
    readonly settle?: Settle | undefined;
  },
): Promise<boolean> {
  const { ledger, clock, reversals, onEvent } = dependencies;
  const now = clock.now();
  try {
    const settling = write ? write({ reservationId, now, ...result }) : ledger.settle({ reservationId, now });
    const resolution = await settling;
    onEvent({ type: "reservation-ended", resolution });
    return resolution === "settled";
  } catch (error) {
    onEvent({ type: "ledger-failed", operation: "settle" });
    const resolution = await tryRefund(dependencies, reservationId);
    if (resolution === "settled") return true;
    // an item becomes done in the transaction that charges for it, so failed items are never charged
    if (resolution === null && write === undefined) reversals.add(reservationId);
    throw error;
  }
}

const RANDOM_BYTES = 10;

/** Returns a new id of 32 hexadecimal digits. */
export function newReservationId(random: Random, now: number): string {
  return orderedId(random, { at: now, randomBytes: RANDOM_BYTES });
}

function creditLimitMessage(period: Period): string {
  return `All credits for this period are used or reserved; new ones will be granted at ${new Date(nextGrantAt(period)).toISOString()}.`;
}
