import type { DeliveryAttempt } from "@snap/engine";

/**
 * How a delivery attempt ended, in a word for log and figures: `delivered`, `http_3xx`, `http_4xx`,
 * `http_5xx`, `token-revoked`, or why there was no answer.
 */
export function nameOutcome(outcome: DeliveryAttempt["outcome"]): string {
  switch (outcome.kind) {
    case "answered": {
      const hundreds = Math.floor(outcome.status / 100);
      return hundreds === 2 ? "delivered" : `http_${hundreds}xx`;
    }
    case "failed":
      return outcome.reason;
    case "token-revoked":
      return outcome.kind;
  }
}
