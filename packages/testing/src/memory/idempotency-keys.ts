import type { BatchRecord, IdempotencyClaim, IdempotencyHolder } from "@snap/engine/ports";

/** The latest claim on each idempotency key. */
export interface IdempotencyKeys {
  /** Returns the batch that has the key when `batch` is created, or `null` if the key is free. */
  find(batch: BatchRecord, claim: IdempotencyClaim): IdempotencyHolder | null;
  claim(batch: BatchRecord, claim: IdempotencyClaim): void;
  /** Deletes the claim of a batch. */
  delete(batchId: string): void;
}

export function createIdempotencyKeys(
  findBatch: (batchId: string) => BatchRecord | undefined,
): IdempotencyKeys {
  const claims = new Map<string, IdempotencyClaim & { readonly batchId: string }>();
  const keyOf = ({ accountId }: BatchRecord, { keyHash }: IdempotencyClaim): string =>
    JSON.stringify([accountId, keyHash]);
  return {
    find(batch, claim) {
      const { createdAt: now } = batch;
      const held = claims.get(keyOf(batch, claim));
      const holder = held && findBatch(held.batchId);
      if (held === undefined || holder === undefined) return null;
      const isOver = held.expiresAt <= now || (holder.prunesAt ?? Infinity) <= now;
      return isOver ? null : { batch: holder, digest: held.digest };
    },
    claim: (batch, claim) => void claims.set(keyOf(batch, claim), { ...claim, batchId: batch.id }),
    delete(batchId) {
      for (const [key, claim] of claims) if (claim.batchId === batchId) claims.delete(key);
    },
  };
}
