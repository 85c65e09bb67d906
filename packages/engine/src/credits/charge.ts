import type { CaptureParts } from "../capture-parts.ts";
import type { Resolution } from "../ports/ledger.ts";
import type { StoredRendering } from "../ports/renderings.ts";

/** Settles the reservation of a rendering that is stored; answers how the reservation ended. */
export type Settle = (settlement: {
  readonly reservationId: string;
  readonly rendering: StoredRendering;
  readonly now: number;
}) => Promise<Resolution>;

/**
 * Settles the credit of a rendering that is there. Where the answer to that is lost, the refund tells: what
 * was charged all the same is answered, or a failure would have been charged.
 *
 * @throws what the settlement threw, when the credit is given back, or lapses by itself.
 */
export async function charge(
  { ledger, clock, onLedgerFailed }: Pick<CaptureParts, "ledger" | "clock" | "onLedgerFailed">,
  {
    reservationId,
    rendering,
    settle,
  }: {
    readonly reservationId: string;
    readonly rendering: StoredRendering;
    readonly settle: Settle;
  },
): Promise<Resolution> {
  try {
    return await settle({ reservationId, rendering, now: clock.now() });
  } catch (error) {
    const ending = await ledger.refund({ reservationId, now: clock.now() }).catch(onLedgerFailed);
    if (ending === "settled") return ending;
    throw error;
  }
}
