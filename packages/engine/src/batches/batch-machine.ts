import type { ErrorCode } from "@snap/protocol";
import type { BatchRecord, DeliveryState, ItemRecord, ItemState } from "../ports/batches.ts";
import { dropSecrets } from "./item-secrets.ts";

/*
 * The batch state machine: pure functions from a batch and an event to the batch's next state.
 */

/** Time limits that the operator can configure. */
export interface BatchRules {
  /** Time from the end of a batch to its deletion. */
  readonly retentionMs: number;
  /** How long an item is retried after a temporary failure first postpones it. */
  readonly retryWindowMs: number;
}

/** An item that has lost this many workers is presumed to be the cause, and fails. */
const MAX_STARTS = 3;

export type BatchEvent =
  /** A worker claims an item that is due, or whose worker was lost. */
  | { readonly type: "item-claimed"; readonly itemId: string; readonly leaseEndsAt: number }
  | {
      readonly type: "item-renewed";
      readonly itemId: string;
      readonly fence: number;
      readonly leaseEndsAt: number;
    }
  /**
   * A temporary failure, such as a rate limit, a busy service or a failing resolver. Once the retry window
   * has ended, the item fails with `code` and `message`.
   */
  | {
      readonly type: "item-postponed";
      readonly itemId: string;
      readonly fence: number;
      readonly retryAt: number;
      readonly code: ErrorCode;
      readonly message: string;
    }
  | {
      readonly type: "item-done";
      readonly itemId: string;
      readonly fence: number;
      readonly etag: string;
      readonly targetStatus: number | null;
      readonly expiresAt: number | null;
      readonly creditCost: 0 | 1;
      readonly notes?: readonly string[];
      readonly storedLocation?: string;
    }
  | {
      readonly type: "item-failed";
      readonly itemId: string;
      readonly fence: number;
      readonly code: ErrorCode;
      readonly message: string;
      readonly notes?: readonly string[];
    }
  | { readonly type: "delivery-claimed"; readonly leaseEndsAt: number }
  /** The operator or caller requests an immediate delivery. */
  | { readonly type: "delivery-requested" }
  | { readonly type: "delivery-acknowledged"; readonly fence: number }
  /** The worker could not send anything, or aborted the attempt, so it does not count. */
  | { readonly type: "delivery-released"; readonly fence: number; readonly retryAt: number }
  /** `retryAt` is `null` if this was the last attempt. */
  | { readonly type: "delivery-failed"; readonly fence: number; readonly retryAt: number | null };

/** The time and the rules of a transition. */
export interface TransitionContext {
  readonly now: number;
  readonly rules: BatchRules;
}

/** Returns whether the batch counts as deleted, whether or not its row is still there. */
export function isPruned({ prunesAt }: BatchRecord, now: number): boolean {
  return prunesAt !== null && prunesAt <= now;
}

type ItemEvent = Extract<BatchEvent, { readonly itemId: string }>;
type DeliveryEvent = Exclude<BatchEvent, ItemEvent>;

/**
 * Returns the batch after `event` at `now`, or `null` if the event does not apply: the item is finished, another worker
 * has the lease, or nothing is due.
 */
export function advanceBatch(
  batch: BatchRecord,
  event: BatchEvent,
  { now, rules }: TransitionContext,
): BatchRecord | null {
  if (!("itemId" in event)) return advanceDelivery(batch, event, now);
  const item = batch.items.find(({ id }) => id === event.itemId);
  const state = item === undefined ? null : advanceItem(item.state, event, { now, rules });
  if (item === undefined || state === null) return null;
  const changed = withState(item, state);
  const items = batch.items.map((other) => (other === item ? changed : other));
  return finishIfComplete({ ...batch, items }, { now, rules });
}

/** Returns the item with the new state. A finished item is not captured again, so its secrets are dropped. */
function withState(item: ItemRecord, state: ItemState): ItemRecord {
  const changed = { ...item, state };
  return isTerminal(changed) ? { ...changed, parameters: dropSecrets(item.parameters) } : changed;
}

/** Returns whether an item is finished. An unknown status counts as unfinished. */
function isTerminal({ state: { status } }: ItemRecord): boolean {
  return status === "done" || status === "failed";
}

function finishIfComplete(batch: BatchRecord, { now, rules }: TransitionContext): BatchRecord {
  if (!batch.items.every(isTerminal)) return batch;
  const delivery: DeliveryState | null =
    batch.webhookUrl === null ? null : { status: "due", dueAt: now, attempts: 0, fence: 0 };
  return { ...batch, finishedAt: now, prunesAt: now + rules.retentionMs, delivery };
}

function advanceItem(
  state: ItemState,
  event: ItemEvent,
  { now, rules }: TransitionContext,
): ItemState | null {
  if (state.status !== "queued" && state.status !== "rendering") return null;
  if (event.type === "item-claimed") return claimItem(state, event, now);
  // the latest claim stays valid after its lease expires, until another worker claims the item
  if (state.status !== "rendering" || state.fence !== event.fence) return null;
  switch (event.type) {
    case "item-renewed":
      return { ...state, leaseEndsAt: event.leaseEndsAt };
    case "item-postponed":
      return postponeItem(state, event, { now, rules });
    case "item-done": {
      const { type: _type, itemId: _itemId, fence: _fence, ...result } = event;
      return { status: "done", ...result };
    }
    case "item-failed": {
      const { code, message, notes } = event;
      return { status: "failed", code, message, ...(notes && { notes }) };
    }
  }
}

type UnfinishedState = Extract<ItemState, { readonly fence: number }>;

function claimItem(
  state: UnfinishedState,
  { leaseEndsAt }: { readonly leaseEndsAt: number },
  now: number,
): ItemState | null {
  if ((state.status === "queued" ? state.dueAt : state.leaseEndsAt) > now) return null;
  const { starts, fence, limitedSince } = state;
  if (starts >= MAX_STARTS)
    return {
      status: "failed",
      code: "render_failed",
      message: `The worker stopped or failed ${MAX_STARTS} times while rendering this page.`,
    };
  return { status: "rendering", starts: starts + 1, fence: fence + 1, limitedSince, leaseEndsAt };
}

/** Requeues the item, at the latest for the end of the retry window; after that, fails it. */
function postponeItem(
  { starts, fence, limitedSince }: UnfinishedState,
  { retryAt, code, message }: Extract<ItemEvent, { readonly type: "item-postponed" }>,
  { now, rules }: TransitionContext,
): ItemState {
  const since = limitedSince ?? now;
  const windowEndsAt = since + rules.retryWindowMs;
  if (now >= windowEndsAt) return { status: "failed", code, message };
  const dueAt = Math.min(Math.max(retryAt, now), windowEndsAt);
  return { status: "queued", starts: starts - 1, fence, limitedSince: since, dueAt };
}

function advanceDelivery(batch: BatchRecord, event: DeliveryEvent, now: number): BatchRecord | null {
  const next = nextDelivery(batch, event, now);
  if (next === null) return null;
  // kept while a delivery is sent again, and if that fails
  const deliveredAt = batch.delivery?.deliveredAt;
  return { ...batch, delivery: deliveredAt === undefined ? next : { deliveredAt, ...next } };
}

function nextDelivery(batch: BatchRecord, event: DeliveryEvent, now: number): DeliveryState | null {
  const { delivery } = batch;
  if (event.type === "delivery-requested") return requestDelivery(batch, now);
  if (delivery === null || delivery.status === "delivered" || delivery.status === "abandoned") return null;
  const { attempts, fence } = delivery;
  if (event.type === "delivery-claimed") {
    if ((delivery.status === "due" ? delivery.dueAt : delivery.leaseEndsAt) > now) return null;
    // the batch is about to be deleted, so nobody could fetch it
    if (isPruned(batch, now)) return { status: "abandoned", attempts };
    const { leaseEndsAt } = event;
    return { status: "sending", attempts: attempts + 1, fence: fence + 1, leaseEndsAt };
  }
  if (delivery.status !== "sending" || fence !== event.fence) return null;
  if (event.type === "delivery-acknowledged") return { status: "delivered", deliveredAt: now, attempts };
  if (event.type === "delivery-released")
    return { status: "due", dueAt: event.retryAt, attempts: attempts - 1, fence };
  return event.retryAt === null
    ? { status: "abandoned", attempts }
    : { status: "due", dueAt: event.retryAt, attempts, fence };
}

/** Makes the delivery due now; a delivered or abandoned one starts over. */
function requestDelivery(batch: BatchRecord, now: number): DeliveryState | null {
  const { delivery } = batch;
  if (delivery === null || delivery.status === "sending" || isPruned(batch, now)) return null;
  if (delivery.status === "due") return { ...delivery, dueAt: now };
  // Delivered and abandoned deliveries store no fencing token. `now` practically never equals an
  // earlier one, even if the clock was set back, so late writes by earlier claims are rejected.
  return { status: "due", dueAt: now, attempts: 0, fence: now };
}
