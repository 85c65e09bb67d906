import type { BatchRecord, ItemRecord, ItemState } from "@snap/engine/ports";

/** When the sample batches are submitted and their items are due. */
export const SUBMITTED_AT = 1_767_225_600_000;

export function queued(dueAt = SUBMITTED_AT): Extract<ItemState, { readonly status: "queued" }> {
  return { status: "queued", starts: 0, fence: 0, limitedSince: null, dueAt };
}

export function rendering(leaseEndsAt: number): Extract<ItemState, { readonly status: "rendering" }> {
  return { status: "rendering", starts: 1, fence: 1, limitedSince: null, leaseEndsAt };
}

export const DONE: Extract<ItemState, { readonly status: "done" }> = {
  status: "done",
  etag: '"9f86d081"',
  targetStatus: 200,
  expiresAt: SUBMITTED_AT + 86_400_000,
  creditCost: 1,
};

export const FAILED: Extract<ItemState, { readonly status: "failed" }> = {
  status: "failed",
  code: "render_timeout",
  message: "The page took too long.",
};

export function sampleItem(change: Partial<ItemRecord> = {}): ItemRecord {
  const parameters = { url: "https://example.com/", fullPage: true };
  return { id: "item_1", parameters, key: "0f1e", state: queued(), ...change };
}

/** Returns an unfinished batch with a webhook and one queued item. */
export function sampleBatch(change: Partial<BatchRecord> = {}): BatchRecord {
  return {
    id: "batch_1",
    accountId: "acct_1",
    tokenId: 1,
    webhookUrl: "https://hooks.example.com/",
    createdAt: SUBMITTED_AT,
    finishedAt: null,
    prunesAt: null,
    items: [sampleItem()],
    delivery: null,
    ...change,
  };
}

/** Returns a batch with one item in the given state. */
export function batchOf(state: ItemState, change: Partial<BatchRecord> = {}): BatchRecord {
  return sampleBatch({ items: [sampleItem({ state })], ...change });
}

/** Returns the batch with its item `itemId` in another state. */
export function withState(batch: BatchRecord, state: ItemState, itemId = "item_1"): BatchRecord {
  return { ...batch, items: batch.items.map((item) => (item.id === itemId ? { ...item, state } : item)) };
}

/** Returns the batch with other parameters for its item `itemId`. */
export function withParameters(
  batch: BatchRecord,
  parameters: ItemRecord["parameters"],
  itemId = "item_1",
): BatchRecord {
  const items = batch.items.map((item) => (item.id === itemId ? { ...item, parameters } : item));
  return { ...batch, items };
}

/**
 * Returns the batch as finished, with `item_1` done and its delivery due. It can be pruned after
 * `retentionMs`.
 */
export function finished(
  batch: BatchRecord,
  { finishedAt = SUBMITTED_AT, retentionMs = 1000 } = {},
): BatchRecord {
  return {
    ...withState(batch, DONE),
    finishedAt,
    prunesAt: finishedAt + retentionMs,
    delivery: { status: "due", dueAt: finishedAt, attempts: 0, fence: 0 },
  };
}

/** Claims a queued item, like a worker; returns `null` if it is not queued or not yet due. */
export function claim(batch: BatchRecord, now: number, itemId = "item_1"): BatchRecord | null {
  const state = batch.items.find(({ id }) => id === itemId)?.state;
  if (state?.status !== "queued" || state.dueAt > now) return null;
  const { starts, fence, limitedSince } = state;
  const held = { starts: starts + 1, fence: fence + 1, limitedSince, leaseEndsAt: now + 20_000 };
  return withState(batch, { status: "rendering", ...held }, itemId);
}
