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
      /**
       * This engine ended a reservation, or found that it had ended. If the engine's process is killed, a reservation
       * lapses without an event.
       */
      readonly type: "reservation-ended";
      readonly resolution: Resolution;
    }
  | { readonly type: "ledger-failed"; readonly operation: LedgerOperation };

/**
 * What failed in the ledger. `give-up`: a charge was not reversed, so an account may have paid for a failed request.
 */
export type LedgerOperation = "reserve" | "settle" | "refund" | "reverse" | "give-up";
