import type { Resolution } from "./ports/ledger.ts";
import type { Priority } from "./ports/render-leases.ts";

/** An event to count. Contains no account, host or URL. */
export type EngineEvent =
  | {
      /** A render got a slot, or gave up waiting for one. */
      readonly type: "slot-wait-ended";
      readonly priority: Priority;
      readonly waitedMs: number;
    }
  | {
      /** This engine ended a reservation, or found it ended. One whose process was killed lapses without an event. */
      readonly type: "reservation-ended";
      readonly resolution: Resolution;
    }
  | { readonly type: "ledger-failed"; readonly operation: LedgerOperation };

/**
 * What failed in the ledger. `give-up`: the reversal of a charge was given up, so an account may have paid for a failed
 * request.
 */
export type LedgerOperation = "reserve" | "settle" | "refund" | "reverse" | "give-up";
