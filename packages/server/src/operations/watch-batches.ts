import type { DeliveryAttempt, EngineOptions, FinishedItem, PostponedItem } from "@snap/engine";
import type { Logger } from "pino";
import type { Metrics } from "./metrics/create-metrics.ts";

/**
 * Returns engine callbacks that log finished batch items, postponed batch items and webhook attempts. They count all of
 * these except the postponed items.
 */
export function watchBatches({
  logger,
  metrics,
}: {
  readonly logger: Logger;
  readonly metrics: Metrics | false;
}): Required<Pick<EngineOptions, "onItemFinished" | "onItemPostponed" | "onDeliveryAttempt">> {
  return {
    onItemFinished(item) {
      logItem(logger, item);
      if (metrics) metrics.countItem(item);
    },
    onItemPostponed: (item) => logPostponed(logger, item),
    onDeliveryAttempt(attempt) {
      logDelivery(logger, attempt);
      if (metrics) metrics.countDelivery(attempt);
    },
  };
}

/** URLs are not logged: their paths may contain secrets. */
function logItem(logger: Logger, { itemId, batchId, accountId, state }: FinishedItem): void {
  const outcome =
    state.status === "done" ? { credit_cost: state.creditCost } : { code: state.code, credit_cost: 0 };
  const { status } = state;
  logger.info(
    { batch: batchId, item: itemId, account: accountId, status, ...outcome },
    `batch item ${status}`,
  );
}

function logPostponed(logger: Logger, { itemId, batchId, accountId, error, retryAt }: PostponedItem): void {
  const { code, detail } = error;
  logger.info(
    {
      batch: batchId,
      item: itemId,
      account: accountId,
      code,
      detail,
      retry_at: new Date(retryAt).toISOString(),
    },
    "batch item postponed",
  );
}

function logDelivery(logger: Logger, attempt: DeliveryAttempt): void {
  const { batchId, accountId, receiver, outcome, delivered, retryAt } = attempt;
  logger[delivered ? "info" : "warn"](
    {
      batch: batchId,
      account: accountId,
      receiver,
      attempt: attempt.attempt,
      outcome: nameOutcome(outcome),
      ...(!delivered &&
        outcome.kind === "responded" && { status: outcome.status, response: attempt.response }),
      retry_at: retryAt === null ? undefined : new Date(retryAt).toISOString(),
    },
    delivered ? "webhook delivered" : "webhook not delivered",
  );
}

/**
 * Names the outcome of a delivery attempt for the log and the metrics: `delivered`, `http_3xx`, `http_4xx`, `http_5xx`,
 * `token-revoked`, or the reason why there was no valid response.
 */
export function nameOutcome(outcome: DeliveryAttempt["outcome"]): string {
  switch (outcome.kind) {
    case "responded": {
      const statusClass = Math.floor(outcome.status / 100);
      if (statusClass > 5) return "broken"; // the status must be below 600 (RFC 9110, 15)
      return statusClass === 2 ? "delivered" : `http_${statusClass}xx`;
    }
    case "failed":
      return outcome.reason;
    case "token-revoked":
      return outcome.kind;
  }
}
