import { entitlementOf } from "../accounts/entitlement.ts";
import type { Plan } from "../accounts/plans.ts";
import { SnapError } from "../errors.ts";
import type { Account } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ledger, Period, Resolution, StandingBalance } from "../ports/ledger.ts";
import type { Random } from "../ports/random.ts";
import type { StoredRendering } from "../ports/renderings.ts";
import type { Reversals } from "./reversals.ts";

export interface CreditParts {
  readonly ledger: Ledger;
  readonly reversals: Reversals;
  readonly clock: Clock;
  readonly random: Random;
  readonly plans: readonly Plan[];
  readonly reservationLeaseMs: number;
  readonly onBackgroundError: (error: unknown) => void;
}

/** A credit that is taken for a render. */
export interface Reservation {
  readonly id: string;
  /** The account's balance without it, which is also the one behind its settlement as far as what is left goes. */
  readonly balance: StandingBalance;
}

/** Charges the credit together with what else has to be written then; answers how the reservation ended. */
export type Settle = (settlement: {
  readonly reservationId: string;
  readonly rendering: StoredRendering;
  readonly now: number;
}) => Promise<Resolution>;

/**
 * Takes one credit for a render that is about to start; it lapses by itself unless resolved.
 *
 * @throws SnapError `no_active_plan` or `credit_limit_reached`.
 */
export async function reserve(
  { ledger, clock, random, plans, reservationLeaseMs }: CreditParts,
  account: Account,
): Promise<Reservation> {
  const now = clock.now();
  const { period, granted } = entitlementOf(account, plans, now);
  if (period === null)
    throw new SnapError("no_active_plan", "The account has no active plan; choose one to render pages.");
  const id = newReservationId(random, now);
  const lapsesAt = now + reservationLeaseMs;
  const wanted = { accountId: account.id, reservationId: id, period, granted, now, lapsesAt };
  const { reserved, balance } = await ledger.reserve(wanted);
  if (!reserved) throw new SnapError("credit_limit_reached", spentMessage(period));
  // Whatever was overdue has just lapsed.
  return { id, balance: { ...balance, periodStartedAt: period.startedAt, nextLapseAt: null } };
}

/** Refunds the credit. If the ledger fails, the refund is retried in the background, until the reservation lapses. */
export async function refund(
  { ledger, clock, reversals, onBackgroundError }: CreditParts,
  { id }: Reservation,
): Promise<void> {
  await ledger.refund({ reservationId: id, now: clock.now() }).catch((error: unknown) => {
    onBackgroundError(error);
    reversals.add(id);
  });
}

/**
 * Charges the credit of a rendering that is kept, and answers whether it was charged. Where the answer to that is
 * lost, the refund tells: what was charged all the same is answered, or a failure would have been charged. If the
 * refund gets no answer either, the request fails at once and the charge is reversed in the background.
 *
 * @throws what the settlement threw; no charge remains then.
 */
export async function settle(
  parts: CreditParts,
  {
    reservation: { id: reservationId },
    rendering,
    settle: write,
  }: {
    readonly reservation: Reservation;
    readonly rendering: StoredRendering;
    /** By the ledger alone unless given. */
    readonly settle?: Settle | undefined;
  },
): Promise<boolean> {
  const { ledger, clock, reversals, onBackgroundError } = parts;
  const now = clock.now();
  try {
    const settled = write ? write({ reservationId, rendering, now }) : ledger.settle({ reservationId, now });
    return (await settled) === "settled";
  } catch (error) {
    const refunded = ledger.refund({ reservationId, now: clock.now() });
    const ending = await refunded.catch((lost: unknown) => {
      onBackgroundError(lost);
      return null;
    });
    if (ending === "settled") return true;
    // A batch item is done in the transaction of its charge: its caller gets the rendering, and pays for it.
    if (ending === null && write === undefined) reversals.add(reservationId);
    throw error;
  }
}

/** Milliseconds of some nine thousand years, in hexadecimal digits. */
const INSTANT_DIGITS = 12;
const RANDOM_BYTES = 10;

/**
 * A new id of 32 hexadecimal digits, the instant first (as in a UUID of version 7, RFC 9562, section 5.7).
 * A storage then adds each reservation behind the one before, on a page that it has at hand; ids in no
 * order would have it read and write another page of its index for each of them.
 */
export function newReservationId(random: Random, now: number): string {
  const instant = Math.trunc(now).toString(16).padStart(INSTANT_DIGITS, "0");
  return `${instant}${Buffer.from(random.bytes(RANDOM_BYTES)).toString("hex")}`;
}

function spentMessage(period: Period): string {
  return `All credits of this period are used; new credits are granted at ${new Date(period.resetsAt).toISOString()}.`;
}
