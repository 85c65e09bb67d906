import type { BatchRecord, DeliveryState, ItemRecord, ItemState } from "@snap/engine/ports";

/** An item's row joined with its batch's row (snap.batch_row). */
export interface BatchRow {
  readonly sequence: number;
  readonly id: string;
  readonly account_id: string;
  readonly token_id: number;
  readonly webhook_url: string | null;
  readonly created_at: number;
  readonly finished_at: number | null;
  readonly prunes_at: number | null;
  readonly item_id: string;
  readonly key: string;
  /** JSON, like `state` and `delivery`. */
  readonly parameters: string;
  readonly state: string;
  readonly delivery: string | null;
}

/** Builds the batch from the ordered rows of its items; returns `null` if there are none. */
export function toBatch(rows: readonly BatchRow[]): BatchRecord | null {
  const [batch] = rows;
  if (batch === undefined) return null;
  return {
    id: batch.id,
    accountId: batch.account_id,
    tokenId: batch.token_id,
    webhookUrl: batch.webhook_url,
    createdAt: batch.created_at,
    finishedAt: batch.finished_at,
    prunesAt: batch.prunes_at,
    items: rows.map(toItem),
    delivery: batch.delivery === null ? null : (JSON.parse(batch.delivery) as DeliveryState),
  };
}

function toItem({ item_id: id, key, parameters, state }: BatchRow): ItemRecord {
  return {
    id,
    parameters: JSON.parse(parameters) as ItemRecord["parameters"],
    key,
    state: JSON.parse(state) as ItemState,
  };
}

/** Returns the instant from which an item or a delivery can be claimed; `null` if it is finished. */
export function claimableAtOf(state: ItemState | DeliveryState): number | null {
  if ("dueAt" in state) return state.dueAt;
  return "leaseEndsAt" in state ? state.leaseEndsAt : null;
}
