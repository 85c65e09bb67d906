import type { AttemptRecord, BatchStore } from "@snap/engine/ports";
import { pageOf } from "./page-of.ts";

const ATTEMPTS_PER_BATCH_MAX = 100;

export interface DeliveryAttempts extends Pick<BatchStore, "recordAttempt" | "attempts"> {
  /** Deletes a batch's attempts. */
  delete(batchId: string): void;
}

/** Stores delivery attempts in memory. */
export function createDeliveryAttempts(hasBatch: (batchId: string) => boolean): DeliveryAttempts {
  let attempts: readonly AttemptRecord[] = [];
  return {
    async recordAttempt(attempt) {
      if (!hasBatch(attempt.batchId)) return;
      attempts = [...attempts, { ...attempt }].toSorted((a, b) => (a.id < b.id ? 1 : -1));
      const surplus = new Set(
        attempts.filter(({ batchId }) => batchId === attempt.batchId).slice(ATTEMPTS_PER_BATCH_MAX),
      );
      attempts = attempts.filter((one) => !surplus.has(one));
    },
    async attempts({ after, limit, batchId, accountId }) {
      const matches = (attempt: AttemptRecord): boolean =>
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
