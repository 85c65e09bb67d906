import type { Capture } from "../capture.ts";
import type { RenderResult, Settle } from "../credits/reservation.ts";
import { isSnapError, SnapError } from "../errors.ts";
import { recordItem, type CapturedItem } from "../history/record-item.ts";
import type { BatchRecord, DueItem, ItemRecord, ItemState } from "../ports/batches.ts";
import type { Resolution } from "../ports/ledger.ts";
import { storableText } from "../storable-text.ts";
import { requireUsable } from "../tokens/authenticate.ts";
import { advanceBatch, type BatchEvent } from "./batch-machine.ts";
import { applyEvent, type BatchDependencies } from "./batch-dependencies.ts";
import { openSecrets } from "./item-secrets.ts";

/** Delay before a retry if nobody knows how long the cause will last; each retry counts against the render limit. */
const RETRY_DELAY_MS = 15_000;
/** Longest delay. The delay grows with the item's wait, because some names never resolve. */
const MAX_RETRY_DELAY_MS = 120_000;

/** An item finished by this worker. */
export interface FinishedItem {
  readonly itemId: string;
  readonly batchId: string;
  readonly accountId: string;
  readonly state: Extract<ItemState, { readonly status: "done" | "failed" }>;
}

/** An item that could not be finished yet. */
export interface PostponedItem extends Pick<FinishedItem, "itemId" | "batchId" | "accountId"> {
  /** Why: a `SnapError` that may not recur on a retry. */
  readonly error: SnapError;
  /** When the item is due again: at the latest, at the end of the retry window. */
  readonly retryAt: number;
}

/** An item claimed by this worker. */
export interface ClaimedItem {
  readonly batch: BatchRecord;
  readonly item: ItemRecord;
  readonly fence: number;
  readonly claimedAt: number;
}

/** Claims a due item; returns `null` if another worker was first, or the item failed after too many starts. */
export async function claimItem(
  dependencies: BatchDependencies,
  { batchId, itemId }: DueItem,
): Promise<ClaimedItem | null> {
  const claimedAt = dependencies.clock.now();
  const leaseEndsAt = claimedAt + dependencies.itemLeaseMs;
  const batch = await applyEvent(dependencies, batchId, { type: "item-claimed", itemId, leaseEndsAt });
  const item = batch?.items.find(({ id }) => id === itemId);
  if (batch == null || item === undefined) return null;
  if (item.state.status === "rendering") return { batch, item, fence: item.state.fence, claimedAt };
  report(dependencies, { item, claimedAt }, batch, null);
  return null;
}

export async function renewItem(dependencies: BatchDependencies, claimed: ClaimedItem): Promise<void> {
  const leaseEndsAt = dependencies.clock.now() + dependencies.itemLeaseMs;
  await applyEvent(dependencies, claimed.batch.id, {
    type: "item-renewed",
    ...claimOf(claimed),
    leaseEndsAt,
  });
}

/**
 * Captures an item's page and stores the result. The transaction that marks the item as done also charges for the
 * rendering; if the lease is lost, nothing is charged.
 *
 * @param onStart called when the item no longer waits for a slot; see `CaptureOptions.onStart`.
 * @throws any error other than a `SnapError`; the item is then claimed again when its lease expires.
 */
export async function runItem(
  dependencies: BatchDependencies,
  claimed: ClaimedItem,
  onStart: () => void,
): Promise<void> {
  const { tokens, clock } = dependencies;
  try {
    const principal = requireUsable(await tokens.find(claimed.batch.tokenId), clock.now());
    const { id: requestId } = claimed.item;
    const parameters = openSecrets(claimed.item.parameters, dependencies.seal);
    const settlement: Settlement = {};
    const settle = createSettle(dependencies, claimed, settlement);
    const { createdAt: submittedAt } = claimed.batch;
    const request = { principal, parameters, requestId, submittedAt, settle, onStart } as const;
    const captured = await dependencies.capture({
      ...request,
      priority: "batch",
      acceptUncached: rejectUncached,
    });
    if (captured.cache === "hit")
      await finish(dependencies, claimed, doneEvent(claimed, { ...captured, creditCost: 0 }), captured);
    else await reportSettled(dependencies, claimed, { settlement, captured });
  } catch (error) {
    if (!isSnapError(error)) throw error;
    const { code } = error;
    const retryAt = await retryInstant(dependencies, claimed, error);
    const reason = { ...claimOf(claimed), code, message: storableText(error.message) };
    const event: BatchEvent =
      retryAt === null
        ? { type: "item-failed", ...reason, ...notesOf(error) }
        : { type: "item-postponed", ...reason, retryAt };
    const batch = await finish(dependencies, claimed, event, null);
    if (batch !== null) reportPostponed(dependencies, claimed, { batch, error });
  }
}

/** A rendering that cannot be fetched later is worth nothing. The cache may have room again soon. */
function rejectUncached(): void {
  throw new SnapError("render_failed", "The rendering could not be cached, so it could not be fetched.", {
    isTransient: true,
  });
}

/**
 * Returns when the item is due again, or `null` if it has failed. An item is retried
 * after a rate limit, a busy service or a transient failure, such as a resolver's or a store's;
 * also if credits are lacking only because some are reserved: a failed render refunds its credit.
 */
async function retryInstant(
  { clock, tokens, credits }: BatchDependencies,
  { batch, item }: ClaimedItem,
  { code, isTransient, rateLimit, retryAfterSeconds = 1 }: SnapError,
): Promise<number | null> {
  const now = clock.now();
  // not rounded up to seconds, so the items that wait for the same window are due together, first submitted first
  if (rateLimit !== undefined) return rateLimit.resetsAt;
  if (code === "upstream_rate_limited") return now + retryAfterSeconds * 1000;
  if (isTransient) return now + Math.min(Math.max(RETRY_DELAY_MS, waitedMs(item, now)), MAX_RETRY_DELAY_MS);
  const owner = code === "credit_limit_reached" ? await tokens.find(batch.tokenId) : null;
  if (owner === null) return null;
  const { limit, used } = await credits(owner.account);
  return used < limit ? now + RETRY_DELAY_MS : null;
}

/** Returns the time since the item was first postponed. */
function waitedMs({ state }: ItemRecord, now: number): number {
  return state.status === "rendering" ? now - (state.limitedSince ?? now) : 0;
}

/** The result of the transaction that settles an item's credit. */
interface Settlement {
  /** The changed batch, once the transaction has returned it. */
  batch?: BatchRecord;
}

/** Returns a function that settles the credit in the transaction that finishes the item. */
function createSettle(dependencies: BatchDependencies, claimed: ClaimedItem, settlement: Settlement): Settle {
  return async ({ reservationId, now, ...result }) => {
    let resolution: Resolution = "unknown";
    const batch = await dependencies.batches.change({
      batchId: claimed.batch.id,
      now,
      settle: reservationId,
      change: (before, settled) => {
        resolution = settled ?? "unknown";
        const creditCost = settled === "settled" ? 1 : 0;
        const event = doneEvent(claimed, { ...result, creditCost });
        return advanceBatch(before, event, { now, rules: dependencies.rules });
      },
    });
    // the lease was lost, and the new owner gets the rendering from the cache; or the storage repeated a transaction
    // that had been committed
    if (batch === null) return dependencies.ledger.refund({ reservationId, now });
    settlement.batch = batch;
    return resolution;
  };
}

/** Reports a rendered item, unless its lease was lost. */
async function reportSettled(
  dependencies: BatchDependencies,
  claimed: ClaimedItem,
  { settlement, captured }: { readonly settlement: Settlement; readonly captured: Capture },
): Promise<void> {
  // only the transaction that finishes the item can have charged for it, even if it returned no batch
  const isCommitted = captured.creditCost === 1;
  const batch = settlement.batch ?? (isCommitted ? await dependencies.batches.find(claimed.batch.id) : null);
  if (batch !== null) report(dependencies, claimed, batch, captured);
}

function doneEvent(
  claimed: ClaimedItem,
  { rendering, isCached, storedLocation, creditCost }: RenderResult & Pick<Capture, "creditCost">,
): BatchEvent {
  const { etag, targetStatus } = rendering;
  const expiresAt = isCached ? rendering.expiresAt : null;
  const stored = storedLocation === null ? {} : { storedLocation };
  const facts = { etag, targetStatus, expiresAt, creditCost, ...notesOf(rendering), ...stored };
  return { type: "item-done", ...claimOf(claimed), ...facts };
}

function notesOf({ notes }: { readonly notes: readonly string[] }): { readonly notes?: readonly string[] } {
  return notes.length > 0 ? { notes } : {};
}

async function finish(
  dependencies: BatchDependencies,
  claimed: ClaimedItem,
  event: BatchEvent,
  captured: CapturedItem | null,
): Promise<BatchRecord | null> {
  const batch = await applyEvent(dependencies, claimed.batch.id, event);
  if (batch !== null) report(dependencies, claimed, batch, captured);
  return batch;
}

function reportPostponed(
  dependencies: BatchDependencies,
  { item: { id: itemId } }: ClaimedItem,
  { batch, error }: { readonly batch: BatchRecord; readonly error: SnapError },
): void {
  const state = batch.items.find(({ id }) => id === itemId)?.state;
  if (state?.status !== "queued") return;
  const { id: batchId, accountId } = batch;
  dependencies.onItemPostponed({ itemId, batchId, accountId, error, retryAt: state.dueAt });
}

/** Reports the item, and adds it to the history, if it is finished. */
function report(
  dependencies: BatchDependencies,
  { item: { id }, claimedAt }: Pick<ClaimedItem, "item" | "claimedAt">,
  batch: BatchRecord,
  captured: CapturedItem | null,
): void {
  const item = batch.items.find((candidate) => candidate.id === id);
  if (item?.state.status !== "done" && item?.state.status !== "failed") return;
  recordItem(dependencies, { batch, item, claimedAt, captured });
  dependencies.onItemFinished({
    itemId: id,
    batchId: batch.id,
    accountId: batch.accountId,
    state: item.state,
  });
}

function claimOf({ item, fence }: ClaimedItem): { readonly itemId: string; readonly fence: number } {
  return { itemId: item.id, fence };
}
