import type { ErrorCode } from "@snap/protocol";
import type { Resolution } from "./ledger.ts";

/** An item that is neither done nor failed, whoever has it. */
interface Unfinished {
  /** How often a worker began it; a start that met a limit doesn't count. */
  readonly starts: number;
  /** Rises with every claim: who holds an older one has lost the item (fencing token). */
  readonly fence: number;
  /** Instant at which it first met a limit, or `null`. */
  readonly limitedSince: number | null;
}

/** What an item is doing. Instants in epoch milliseconds. */
export type ItemState =
  | (Unfinished & { readonly status: "queued"; readonly dueAt: number })
  | (Unfinished & { readonly status: "rendering"; readonly leaseEndsAt: number })
  | {
      readonly status: "done";
      readonly etag: string;
      readonly targetStatus: number | null;
      /** When the cached rendering lapses. */
      readonly expiresAt: number;
      readonly creditCost: 0 | 1;
    }
  | { readonly status: "failed"; readonly code: ErrorCode; readonly message: string };

/** One capture of a batch. */
export interface ItemRecord {
  readonly id: string;
  /** As they were sent, validated: plain JSON. */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly url: string };
  /** Names the rendering in the cache. */
  readonly key: string;
  readonly state: ItemState;
}

/** What the one webhook delivery of a finished batch is doing. */
export type DeliveryState =
  | { readonly status: "due"; readonly dueAt: number; readonly attempts: number; readonly fence: number }
  | {
      readonly status: "sending";
      readonly leaseEndsAt: number;
      /** This one included. */
      readonly attempts: number;
      readonly fence: number;
    }
  | { readonly status: "delivered"; readonly deliveredAt: number; readonly attempts: number }
  | { readonly status: "abandoned"; readonly attempts: number };

/** A batch with its items, in the order of submission. */
export interface BatchRecord {
  readonly id: string;
  readonly accountId: string;
  /** The token that submitted it: its permissions count, its secret signs the webhook. */
  readonly tokenId: number;
  readonly webhookUrl: string | null;
  readonly createdAt: number;
  /** Instant at which the last item finished, or `null`. */
  readonly finishedAt: number | null;
  /** Instant from which it may be deleted; `null` while it is unfinished. */
  readonly prunesAt: number | null;
  readonly items: readonly ItemRecord[];
  /** `null` until it is finished, and for good without a webhook. */
  readonly delivery: DeliveryState | null;
}

/** Names an item that can be claimed. */
export interface DueItem {
  readonly accountId: string;
  readonly batchId: string;
  readonly itemId: string;
}

/** Names a delivery that can be claimed. */
export interface DueDelivery {
  readonly accountId: string;
  readonly batchId: string;
}

export interface BatchChange {
  readonly batchId: string;
  readonly now: number;
  /** A reservation that is settled in the same transaction. */
  readonly settle?: string;
  /**
   * What the batch becomes; `null` takes the whole transaction back, the settlement included. Pure:
   * a store may call it again.
   *
   * @param settled How the reservation of `settle` ended; `null` without one.
   */
  readonly change: (batch: BatchRecord, settled: Resolution | null) => BatchRecord | null;
}

/** How full the queues are. */
export interface BatchFigures {
  /** Items that wait, whether due or not. */
  readonly queuedItems: number;
  readonly renderingItems: number;
  /** Age of the oldest batch with an item that isn't finished; `null` without one. */
  readonly oldestUnfinishedAgeMs: number | null;
  /** Deliveries that are neither acknowledged nor abandoned. */
  readonly openDeliveries: number;
}

/**
 * Durable batches, which are also the queue of their items and the outbox of their webhooks. What a
 * batch may become is decided by `change` functions; the store makes each of them one transaction,
 * together with the settlement that belongs to it, and no two at once on one batch.
 */
export interface BatchStore {
  /** Stores a new batch, whole or not at all. */
  insert(batch: BatchRecord): Promise<void>;
  find(batchId: string): Promise<BatchRecord | null>;
  /** Answers what the batch became; `null` when nothing changed: no such batch, or the change refused. */
  change(request: BatchChange): Promise<BatchRecord | null>;
  /**
   * Items that can be claimed at `now`: queued ones that are due, and rendering ones whose lease has
   * ended. At most one of an account, its longest due first, then by order of submission; at most
   * `limit` in all, the longest due first; none of `exceptAccounts`.
   */
  dueItems(request: {
    readonly now: number;
    readonly limit: number;
    readonly exceptAccounts: readonly string[];
  }): Promise<readonly DueItem[]>;
  /**
   * Deliveries that can be claimed at `now`: at most one of an account, its longest due first; at most
   * `limit` in all, the longest due first; none of `exceptAccounts`.
   */
  dueDeliveries(request: {
    readonly now: number;
    readonly limit: number;
    readonly exceptAccounts: readonly string[];
  }): Promise<readonly DueDelivery[]>;
  /** Deletes at most `limit` batches that may be deleted by `now`; answers how many. */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
  figures(request: { readonly now: number }): Promise<BatchFigures>;
  /**
   * Calls `wake` when another process has stored something that can be claimed, as far as the storage
   * hears of that. A lost call costs no more than the time until the next look.
   */
  watch(wake: () => void): Promise<QueueWatch>;
}

/** Until it is stopped, `wake` is called. */
export interface QueueWatch {
  stop(): Promise<void>;
}
