import type { DeliveryAttempt, FinishedItem } from "@snap/engine";
import type { BatchStats } from "@snap/engine/ports";
import type { Registry } from "prom-client";
import { nameOutcome } from "../watch-batches.ts";
import { counter, gauge, registerAll, setOrRemove } from "./define.ts";

export const BATCH_METRICS = {
  finished: counter({
    name: "snap_batch_items_total",
    help: "Batch items that this process finished.",
    labels: {
      status: { done: "rendered, or served from the cache", failed: "failed" },
      code: "an [error code](errors.md); empty if it is done",
    },
  }),
  items: gauge({
    name: "snap_batch_items",
    help: "Unfinished batch items; the same in all processes.",
    labels: { state: { queued: "waiting for a worker", rendering: "claimed by a worker" } },
  }),
  oldest: gauge({
    name: "snap_batch_oldest_unfinished_seconds",
    help: "Age of the oldest unfinished batch, 0 if there is none; the same in all processes.",
  }),
  deliveries: gauge({
    name: "snap_webhook_deliveries_open",
    help: "Webhook deliveries that are neither acknowledged nor abandoned; the same in all processes.",
  }),
  attempts: counter({
    name: "snap_webhook_attempts_total",
    help: "Attempts by this process to deliver a webhook.",
    labels: {
      outcome: {
        delivered: "the receiver acknowledged it with 2xx",
        http_3xx: "the receiver redirected; redirects are not followed",
        http_4xx: "the receiver responded with 4xx",
        http_5xx: "the receiver responded with 5xx",
        blocked: "the receiver's address is not allowed",
        unresolved: "the receiver's name has no address",
        "resolver-failed": "name resolution failed",
        unreachable: "no connection, or an invalid certificate",
        "proxy-failed": "the upstream proxy is down, or rejects this service",
        "timed-out": "the receiver took too long",
        broken: "the connection was lost, or the response was not HTTP or too long",
        "token-revoked": "nothing was sent: the token that signs it was revoked",
      },
    },
  }),
  givenUp: counter({
    name: "snap_webhooks_given_up_total",
    help: "Webhooks whose last attempt failed, that a receiver rejected with 410, or whose token was revoked.",
  }),
};

export interface BatchMetrics {
  readonly countItem: (item: FinishedItem) => void;
  readonly countDelivery: (attempt: DeliveryAttempt) => void;
  /** `null` if the storage failed: the gauges are then absent. */
  readonly setStats: (stats: BatchStats | null) => void;
}

export function createBatchMetrics(registry: Registry): BatchMetrics {
  const { finished, items, oldest, deliveries, attempts, givenUp } = registerAll(BATCH_METRICS, registry);
  return {
    countItem: ({ state }) =>
      finished.inc({ status: state.status, code: state.status === "failed" ? state.code : "" }),
    countDelivery({ outcome, delivered, retryAt }) {
      attempts.inc({ outcome: nameOutcome(outcome) });
      if (!delivered && retryAt === null) givenUp.inc();
    },
    setStats(stats) {
      setOrRemove(oldest, stats && (stats.oldestUnfinishedAgeMs ?? 0) / 1000);
      setOrRemove(deliveries, stats?.openDeliveries);
      if (stats === null) return items.reset();
      items.set({ state: "queued" }, stats.queuedItems);
      items.set({ state: "rendering" }, stats.renderingItems);
    },
  };
}
