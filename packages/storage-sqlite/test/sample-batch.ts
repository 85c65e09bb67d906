import type { BatchRecord } from "@snap/engine/ports";

/** Returns an unfinished batch with a webhook and items, which are due at instant 1. */
export function sampleBatch(id: string, { itemCount = 2, selector = "" } = {}): BatchRecord {
  return {
    id,
    accountId: "acct_1",
    tokenId: 1,
    webhookUrl: "https://hooks.example.com/",
    createdAt: 1,
    finishedAt: null,
    prunesAt: null,
    items: Array.from({ length: itemCount }, (_, index) => ({
      id: `item_${index}`,
      parameters: { url: `https://example.com/${index}`, selector },
      key: `${index}`,
      state: { status: "queued", starts: 0, fence: 0, limitedSince: null, dueAt: 1 },
    })),
    delivery: null,
  };
}
