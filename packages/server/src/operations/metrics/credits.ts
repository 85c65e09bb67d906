import type { EngineEvent } from "@snap/engine";
import type { Registry } from "prom-client";
import { counter, registerAll } from "./define.ts";

export const CREDIT_METRICS = {
  credits: counter({ name: "snap_credits_total", help: "Credits charged." }),
  reservations: counter({
    name: "snap_reservations_ended_total",
    help: "Reserved credits by outcome.",
    labels: {
      resolution: {
        settled: "charged",
        refunded: "refunded, because the request failed",
        lapsed:
          "neither charged nor refunded in time; a credit that a killed process had reserved lapses without being counted",
        reversed:
          "charged at first, then reversed: the outcome of the charge was lost, so the request failed",
        unknown: "unknown to the ledger",
      },
    },
  }),
  failures: counter({
    name: "snap_ledger_failures_total",
    help: "Failed ledger operations.",
    labels: {
      operation: {
        reserve: "a credit could not be reserved; the request failed",
        settle: "a charge failed, or its outcome was lost; a refund follows",
        refund: "a refund failed; it is retried in the background",
        reverse: "a retried refund failed; it is retried again",
        "give-up":
          "a refund was abandoned, after a day, when the process stopped, or because too many were pending: an account may have paid for a failed request, whose reservation the log names",
      },
    },
  }),
};

export interface CreditMetrics {
  readonly countCredits: (credits: number) => void;
  readonly countEvent: (event: EngineEvent) => void;
}

export function createCreditMetrics(registry: Registry): CreditMetrics {
  const { credits, reservations, failures } = registerAll(CREDIT_METRICS, registry);
  return {
    countCredits: (charged) => credits.inc(charged),
    countEvent(event) {
      if (event.type === "reservation-ended") reservations.inc({ resolution: event.resolution });
      if (event.type === "ledger-failed") failures.inc({ operation: event.operation });
    },
  };
}
