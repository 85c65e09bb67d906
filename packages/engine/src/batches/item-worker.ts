import type { Settle } from "../credits/reservation.ts";
import { isSnapError, type SnapError } from "../errors.ts";
import type { BatchRecord, DueItem, ItemRecord, ItemState } from "../ports/batches.ts";
import type { Resolution } from "../ports/ledger.ts";
import type { StoredRendering } from "../ports/renderings.ts";
import { requireUsable } from "../tokens/authenticate.ts";
import { advanceBatch, type BatchEvent } from "./batch-machine.ts";
import { applyEvent, type BatchParts } from "./batch-parts.ts";

/** Each try costs one of the render limit. */
const RESERVED_RETRY_MS = 15_000;

/** An item that came to its end here. */
export interface FinishedItem {
  readonly itemId: string;
  readonly batchId: string;
  readonly accountId: string;
  readonly state: Extract<ItemState, { readonly status: "done" | "failed" }>;
}

/** An item that a worker holds. */
export interface HeldItem {
  readonly batch: BatchRecord;
  readonly item: ItemRecord;
  readonly fence: number;
}

/** Takes a due item; `null` when another worker was quicker, or it has failed of too many starts. */
export async function claimItem(parts: BatchParts, { batchId, itemId }: DueItem): Promise<HeldItem | null> {
  const leaseEndsAt = parts.clock.now() + parts.itemLeaseMs;
  const batch = await applyEvent(parts, batchId, { type: "item-claimed", itemId, leaseEndsAt });
  const item = batch?.items.find(({ id }) => id === itemId);
  if (batch == null || item === undefined) return null;
  if (item.state.status === "rendering") return { batch, item, fence: item.state.fence };
  report(parts, { item }, batch);
  return null;
}

/** Tells that the worker still has the item. */
export async function renewItem(parts: BatchParts, held: HeldItem): Promise<void> {
  const leaseEndsAt = parts.clock.now() + parts.itemLeaseMs;
  await applyEvent(parts, held.batch.id, { type: "item-renewed", ...nameOf(held), leaseEndsAt });
}

/**
 * Captures the page of an item and writes down what became of it. A rendering is charged in the
 * transaction that makes the item done; where the lease was lost meanwhile, nothing is charged.
 *
 * @throws what is no `SnapError`: the item is then left to its lease, and begun again.
 */
export async function runItem(parts: BatchParts, held: HeldItem): Promise<void> {
  const { tokens, clock } = parts;
  try {
    const principal = requireUsable(await tokens.find(held.batch.tokenId), clock.now());
    const { parameters } = held.item;
    const settle = settleWith(parts, held);
    const { cache, rendering } = await parts.capture({ principal, parameters, priority: "batch", settle });
    if (cache === "hit") await finish(parts, held, doneEvent(held, rendering, 0));
  } catch (error) {
    if (!isSnapError(error)) throw error;
    const { code, message } = error;
    const retryAt = await retryInstant(parts, held, error);
    const failed: BatchEvent = { type: "item-failed", ...nameOf(held), code, message };
    await finish(parts, held, retryAt === null ? failed : { ...failed, type: "item-limited", retryAt });
  }
}

/**
 * When the item goes on, or `null` when it has failed. Limits and a busy service are no failures of the
 * item (interface.md, States); nor are spent credits of which some are only reserved: by renders that
 * may fail, or by a process that was lost, and are then given back.
 */
async function retryInstant(
  { clock, tokens, credits }: BatchParts,
  { batch }: HeldItem,
  { code, retryAfterSeconds = 1 }: SnapError,
): Promise<number | null> {
  if (code === "rate_limited" || code === "upstream_rate_limited")
    return clock.now() + retryAfterSeconds * 1000;
  const owner = code === "credit_limit_reached" ? await tokens.find(batch.tokenId) : null;
  if (owner === null) return null;
  const { limit, used } = await credits(owner.account);
  return used < limit ? clock.now() + RESERVED_RETRY_MS : null;
}

/** Settlement, the item's end, and the batch's if it was the last: one transaction. */
function settleWith(parts: BatchParts, held: HeldItem): Settle {
  return async ({ reservationId, rendering, now }) => {
    let resolution: Resolution = "unknown";
    const batch = await parts.batches.change({
      batchId: held.batch.id,
      now,
      settle: reservationId,
      change: (before, settled) => {
        resolution = settled ?? "unknown";
        const event = doneEvent(held, rendering, settled === "settled" ? 1 : 0);
        return advanceBatch(before, event, { now, rules: parts.rules });
      },
    });
    // The lease was lost: whoever has the item now finds the rendering in the cache.
    if (batch === null) return parts.ledger.refund({ reservationId, now });
    report(parts, held, batch);
    return resolution;
  };
}

function doneEvent(held: HeldItem, rendering: StoredRendering, creditCost: 0 | 1): BatchEvent {
  const { etag, targetStatus, expiresAt } = rendering;
  return { type: "item-done", ...nameOf(held), etag, targetStatus, expiresAt, creditCost };
}

async function finish(parts: BatchParts, held: HeldItem, event: BatchEvent): Promise<void> {
  const batch = await applyEvent(parts, held.batch.id, event);
  if (batch !== null) report(parts, held, batch);
}

function report(parts: BatchParts, { item: { id } }: Pick<HeldItem, "item">, batch: BatchRecord): void {
  const state = batch.items.find((item) => item.id === id)?.state;
  if (state?.status === "done" || state?.status === "failed")
    parts.onItemFinished({ itemId: id, batchId: batch.id, accountId: batch.accountId, state });
}

function nameOf({ item, fence }: HeldItem): { readonly itemId: string; readonly fence: number } {
  return { itemId: item.id, fence };
}
