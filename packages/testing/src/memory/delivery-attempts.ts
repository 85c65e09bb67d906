import type { BatchStore, DeliveryRecord } from "@snap/engine/ports";
import { pageOf } from "./page-of.ts";

const ATTEMPTS_PER_BATCH = 100;

export interface DeliveryAttempts extends Pick<BatchStore, "recordDelivery" | "deliveries"> {
  /** Deletes a batch's attempts. */
  delete(batchId: string): void;
}

/** Stores attempts to deliver webhooks in memory. */
export function createDeliveryAttempts(hasBatch: (batchId: string) => boolean): DeliveryAttempts {
  let attempts: readonly DeliveryRecord[] = [];
  return {
    async recordDelivery(delivery) {
      if (!hasBatch(delivery.batchId)) return;
      attempts = [...attempts, { ...delivery }].toSorted((a, b) => (a.id < b.id ? 1 : -1));
      const surplus = new Set(
        attempts.filter(({ batchId }) => batchId === delivery.batchId).slice(ATTEMPTS_PER_BATCH),
      );
      attempts = attempts.filter((attempt) => !surplus.has(attempt));
    },
    async deliveries({ after, limit, batchId, accountId }) {
      const matches = (attempt: DeliveryRecord): boolean =>
        (batchId === undefined || attempt.batchId === batchId) &&
        (accountId === undefined || attempt.accountId === accountId);
      const { entries, more } = pageOf(attempts, { after, limit, matches });
      return { entries, hasMore: more > 0 };
    },
    delete(batchId) {
      attempts = attempts.filter((attempt) => attempt.batchId !== batchId);
    },
  };
}
