import type { BatchRecord } from "@snap/engine/ports";

/** Returns an unfinished batch with a webhook and one item, which is due at instant 1. */
export function sampleBatch(id: string, change: Partial<BatchRecord> = {}): BatchRecord {
  return {
    id,
    accountId: "acct_1",
    tokenId: 1,
    webhookUrl: "https://hooks.example.com/",
    createdAt: 1,
    finishedAt: null,
    prunesAt: null,
    items: [
      {
        id: "item_1",
        parameters: { url: "https://example.com/" },
        key: "0f1e",
        state: { status: "queued", starts: 0, fence: 0, limitedSince: null, dueAt: 1 },
      },
    ],
    delivery: null,
    ...change,
  };
}

/** Returns the batch with its item done, or `null` if it is already finished. */
export function finish(batch: BatchRecord): BatchRecord | null {
  if (batch.finishedAt !== null) return null;
  const done = { status: "done", etag: '"9f"', targetStatus: 200, expiresAt: 9, creditCost: 1 } as const;
  return {
    ...batch,
    items: batch.items.map((item) => ({ ...item, state: done })),
    finishedAt: 5,
    prunesAt: 1005,
    delivery: { status: "due", dueAt: 5, attempts: 0, fence: 0 },
  };
}
