import type { ErrorCode } from "@snap/protocol";
import type { Resolution } from "./ledger.ts";
import type { Page, PageRequest } from "./page.ts";

/** The state of an item that is neither done nor failed. */
interface Unfinished {
  /** Number of times that a worker started it; starts that met a limit do not count. */
  readonly starts: number;
  /** Fencing token: rises with every claim, which voids the writes of earlier claims. */
  readonly fence: number;
  /** Instant at which it first met a limit or a failed resolver, or `null`. */
  readonly limitedSince: number | null;
}

/** The state of an item. Instants in epoch milliseconds. */
export type ItemState =
  | (Unfinished & { readonly status: "queued"; readonly dueAt: number })
  | (Unfinished & { readonly status: "rendering"; readonly leaseEndsAt: number })
  | {
      readonly status: "done";
      readonly etag: string;
      readonly targetStatus: number | null;
      /** Instant at which the cached rendering expires. */
      readonly expiresAt: number;
      readonly creditCost: 0 | 1;
      /** Notes on the rendering; absent if there are none. */
      readonly notes?: readonly string[];
    }
  | {
      readonly status: "failed";
      readonly code: ErrorCode;
      readonly message: string;
      /** Notes on the failed render; absent if there are none. */
      readonly notes?: readonly string[];
    };

/** One capture of a batch. */
export interface ItemRecord {
  readonly id: string;
  /**
   * The validated parameters without defaults: plain JSON. Secrets are encrypted, and `null` once the item is finished.
   * They change only together with `state`.
   */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly url: string };
  /** Cache key of the rendering. */
  readonly key: string;
  readonly state: ItemState;
}

/** The state of the webhook delivery of a finished batch. */
export type DeliveryState =
  | { readonly status: "due"; readonly dueAt: number; readonly attempts: number; readonly fence: number }
  | {
      readonly status: "sending";
      readonly leaseEndsAt: number;
      /** Including this one. */
      readonly attempts: number;
      readonly fence: number;
    }
  | { readonly status: "delivered"; readonly deliveredAt: number; readonly attempts: number }
  | { readonly status: "abandoned"; readonly attempts: number };

/** A batch with its items, in order of submission. */
export interface BatchRecord {
  readonly id: string;
  readonly accountId: string;
  /** The token that submitted it: its abilities apply, and its secret signs the webhook. */
  readonly tokenId: number;
  readonly webhookUrl: string | null;
  readonly createdAt: number;
  /** Instant at which the last item finished, or `null`. */
  readonly finishedAt: number | null;
  /** Instant from which it may be deleted; `null` while it is unfinished. */
  readonly prunesAt: number | null;
  readonly items: readonly ItemRecord[];
  /** `null` until the batch is finished, and always without a webhook. */
  readonly delivery: DeliveryState | null;
}

/** A batch in a list, with the number of its items in each state. */
export interface BatchSummary extends Omit<BatchRecord, "items"> {
  readonly items: Readonly<Record<ItemState["status"], number>>;
}

/** Selects batches; each absent field selects all. */
export interface BatchFilter {
  readonly accountId?: string | undefined;
  readonly isFinished?: boolean | undefined;
  readonly delivery?: DeliveryState["status"] | undefined;
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
  /** A reservation to settle in the same transaction. */
  readonly settle?: string;
  /**
   * Returns the changed batch, or `null` to roll back the transaction, including the settlement. Pure: a store may call
   * it again.
   *
   * @param settled how the reservation of `settle` ended; `null` without one.
   */
  readonly change: (batch: BatchRecord, settled: Resolution | null) => BatchRecord | null;
}

/** Queue sizes and ages. */
export interface BatchStats {
  /** Waiting items, due or not. */
  readonly queuedItems: number;
  readonly renderingItems: number;
  /** Age of the oldest unfinished batch; `null` without one. */
  readonly oldestUnfinishedAgeMs: number | null;
  /** Deliveries that are neither delivered nor abandoned. */
  readonly openDeliveries: number;
}

/**
 * Durable batches, which are also the queue of their items and the outbox of their webhooks. `change` functions decide
 * how a batch changes; the store runs each in one transaction with its settlement, and serializes those of one batch.
 */
export interface BatchStore {
  /** Stores a new batch, atomically; stores nothing if the deletion of its account has started. */
  insert(batch: BatchRecord): Promise<void>;
  find(batchId: string): Promise<BatchRecord | null>;
  /** Returns selected batches, the last submitted first; none if `after` is unknown. */
  page(request: PageRequest & BatchFilter): Promise<Page<BatchSummary>>;
  /** Returns the changed batch, or `null` if nothing changed: the batch does not exist, or `change` returned `null`. */
  change(request: BatchChange): Promise<BatchRecord | null>;
  /**
   * Returns the items that can be claimed at `now`: queued ones that are due, and rendering ones whose lease has ended.
   * At most one per account, the one due longest, then in order of submission; at most `limit` in total, those due
   * longest first; none of `exceptAccounts`.
   */
  dueItems(request: {
    readonly now: number;
    readonly limit: number;
    readonly exceptAccounts: readonly string[];
  }): Promise<readonly DueItem[]>;
  /**
   * Returns the deliveries that can be claimed at `now`: at most one per account, the one due longest; at most `limit`
   * in total, those due longest first; none of `exceptAccounts`.
   */
  dueDeliveries(request: {
    readonly now: number;
    readonly limit: number;
    readonly exceptAccounts: readonly string[];
  }): Promise<readonly DueDelivery[]>;
  /** Deletes at most `limit` batches whose `prunesAt` has passed by `now`; returns their number. */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
  /** Deletes all batches of an account, in chunks; returns their number. */
  deleteAccount(request: { readonly accountId: string }): Promise<number>;
  stats(request: { readonly now: number }): Promise<BatchStats>;
  /**
   * Calls `wake` when another process has stored something to claim, if the storage is notified. Best effort: workers
   * also poll.
   */
  watch(wake: () => void): Promise<QueueWatch>;
}

/** Calls `wake` until it is stopped. */
export interface QueueWatch {
  stop(): Promise<void>;
}
