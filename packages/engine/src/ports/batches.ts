import type { ErrorCode } from "@snap/protocol";
import type { Resolution } from "./ledger.ts";
import type { Page, PageRequest } from "./page.ts";
import type { WebhookFailureReason } from "./webhook-sender.ts";

/** The state of an item that is neither done nor failed. */
interface Unfinished {
  /** Number of times a worker started it, excluding starts after which it was postponed. */
  readonly starts: number;
  /** Fencing token: each claim increases it, which voids writes by earlier claims. */
  readonly fence: number;
  /** When a temporary failure, such as a rate limit, first postponed it; `null` if none has. */
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
      /** When the cached rendering expires; `null` if it could not be cached, but was delivered to a store. */
      readonly expiresAt: number | null;
      readonly creditCost: 0 | 1;
      /** Notes on the rendering; absent if empty. */
      readonly notes?: readonly string[];
      /** Where the rendering was stored; absent without `storeTo`. */
      readonly storedLocation?: string;
    }
  | {
      readonly status: "failed";
      readonly code: ErrorCode;
      readonly message: string;
      /** Notes on the failed render; absent if empty. */
      readonly notes?: readonly string[];
    };

/** One capture of a batch. */
export interface ItemRecord {
  readonly id: string;
  /**
   * The validated parameters without defaults, as plain JSON, whose strings can contain any character, NUL included.
   * Secrets are encrypted, and `null` once the item is finished. The parameters change only together with `state`.
   */
  readonly parameters: Readonly<Record<string, unknown>> & { readonly url: string };
  /** Cache key of the rendering. */
  readonly key: string;
  readonly state: ItemState;
}

/**
 * The state of a finished batch's webhook delivery. `deliveredAt` is when it was last acknowledged; it stays while the
 * webhook is sent again, and if that fails.
 */
export type DeliveryState =
  | {
      readonly status: "due";
      readonly dueAt: number;
      readonly attempts: number;
      readonly fence: number;
      readonly deliveredAt?: number;
    }
  | {
      readonly status: "sending";
      readonly leaseEndsAt: number;
      /** Number of attempts, including this one. */
      readonly attempts: number;
      readonly fence: number;
      readonly deliveredAt?: number;
    }
  | { readonly status: "delivered"; readonly attempts: number; readonly deliveredAt: number }
  | { readonly status: "abandoned"; readonly attempts: number; readonly deliveredAt?: number };

/** One finished attempt to deliver a batch's webhook. It is deleted with the batch. */
export interface AttemptRecord {
  /** `dlv_` and 24 hex digits, unique. Ids sort by `at`, except within one millisecond. */
  readonly id: string;
  readonly batchId: string;
  readonly accountId: string;
  /** When it started. */
  readonly at: number;
  /** Number of the attempt, as in `DeliveryState`. Resending a finished delivery starts over at 1. */
  readonly attempt: number;
  readonly durationMs: number;
  /** Status of the receiver's response; `null` if there was no valid one. */
  readonly status: number | null;
  /** Why there was no valid response; `null` if there was one. */
  readonly failure: WebhookFailureReason | "token-revoked" | null;
  /**
   * The first 2 KiB of the response body, decoded as UTF-8 without NUL, with `[path]` for the path and query of the
   * webhook's URL; `null` if there was no response.
   */
  readonly body: string | null;
}

/** Selects attempts. Absent fields select all. */
export interface AttemptFilter {
  readonly batchId?: string | undefined;
  readonly accountId?: string | undefined;
}

export interface AttemptPage {
  readonly entries: readonly AttemptRecord[];
  readonly hasMore: boolean;
}

/** A batch with its items, in order of submission. */
export interface BatchRecord {
  readonly id: string;
  readonly accountId: string;
  /** The token that submitted it. Its abilities apply, and its signing secret signs the webhook. */
  readonly tokenId: number;
  readonly webhookUrl: string | null;
  readonly createdAt: number;
  /** When the last item finished; `null` while the batch is unfinished. */
  readonly finishedAt: number | null;
  /** Instant from which it can be deleted; `null` while the batch is unfinished. */
  readonly prunesAt: number | null;
  readonly items: readonly ItemRecord[];
  /** `null` while the batch is unfinished, or if it has no webhook. */
  readonly delivery: DeliveryState | null;
}

/** A batch's claim on an idempotency key. It is deleted with the batch. */
export interface IdempotencyClaim {
  /** Hash of the key, which identifies it within the batch's account. */
  readonly keyHash: string;
  /** Digest of the submission; equal submissions have equal digests. */
  readonly digest: string;
  /** Instant from which another batch can claim the key. */
  readonly expiresAt: number;
}

/** The batch that has claimed an idempotency key. */
export interface IdempotencyHolder {
  readonly batch: BatchRecord;
  /** The digest in its claim. */
  readonly digest: string;
}

/** A batch in a list, with the number of its items in each state. */
export interface BatchSummary extends Omit<BatchRecord, "items"> {
  readonly items: Readonly<Record<ItemState["status"], number>>;
}

/** Selects batches. Absent fields select all. */
export interface BatchFilter {
  readonly accountId?: string | undefined;
  readonly isFinished?: boolean | undefined;
  readonly delivery?: DeliveryState["status"] | undefined;
}

/** Identifies an item that can be claimed. */
export interface DueItem {
  readonly accountId: string;
  readonly batchId: string;
  readonly itemId: string;
}

/** Identifies a delivery that can be claimed. */
export interface DueDelivery {
  readonly accountId: string;
  readonly batchId: string;
}

export interface BatchChange {
  readonly batchId: string;
  readonly now: number;
  /** Reservation to settle in the same transaction. */
  readonly settle?: string;
  /**
   * Returns the changed batch, or `null` to roll back the transaction, including the settlement. Must be pure,
   * because a store may call it again.
   *
   * @param settled how the reservation in `settle` ended; `null` without a reservation.
   */
  readonly change: (batch: BatchRecord, settled: Resolution | null) => BatchRecord | null;
}

/** Queue lengths and ages. */
export interface BatchStats {
  /** Number of waiting items, due or not. */
  readonly queuedItems: number;
  readonly renderingItems: number;
  /** Age of the oldest unfinished batch; `null` if all are finished. */
  readonly oldestUnfinishedAgeMs: number | null;
  /** Number of deliveries that are due or being sent. */
  readonly openDeliveries: number;
}

/**
 * Durable batches, which also serve as the queue of items and the outbox of webhooks. A `change` function decides how a
 * batch changes. The store runs it in one transaction with the settlement, and serializes the changes to each batch.
 */
export interface BatchStore {
  /**
   * Stores a new batch and its claim atomically, and returns `null`. If the deletion of the batch's account has
   * started, stores nothing, and also returns `null`. If another batch of the account has claimed the key, stores
   * nothing, and returns that batch.
   *
   * A claim ends at its `expiresAt`, at its batch's `prunesAt`, or when its batch is deleted; `createdAt` of the new
   * batch is the current time. If several concurrent inserts have the same key, exactly one stores its batch.
   *
   * @throws Error if the id is taken; changes nothing.
   */
  insert(batch: BatchRecord, claim?: IdempotencyClaim): Promise<IdempotencyHolder | null>;
  find(batchId: string): Promise<BatchRecord | null>;
  /** Returns the selected batches, most recently inserted first; an empty page if `after` is unknown. */
  page(request: PageRequest & BatchFilter): Promise<Page<BatchSummary>>;
  /**
   * Returns the changed batch, or `null` if nothing changed: the batch does not exist, or `change` returned `null`. If
   * `change` throws, rejects with that error. In all three cases, the reservation is not resolved, not even as lapsed,
   * and for an unknown batch, `change` is not called. A change does not add or remove items, or remove a delivery.
   */
  change(request: BatchChange): Promise<BatchRecord | null>;
  /**
   * Returns the items that can be claimed at `now`, longest due first and, among equals, first submitted first: queued
   * items from the millisecond `dueAt`, and rendering items from the millisecond `leaseEndsAt`. At most one per
   * account, its first in that order. At most `limit` in total. None from `exceptAccounts`, which do not count against
   * the limit.
   */
  dueItems(request: {
    readonly now: number;
    readonly limit: number;
    readonly exceptAccounts: readonly string[];
  }): Promise<readonly DueItem[]>;
  /**
   * Returns the deliveries that can be claimed at `now`, longest due first: due ones from `dueAt`, and those being sent
   * from `leaseEndsAt`. At most one per account, its longest due; at most `limit` in total; none from `exceptAccounts`.
   */
  dueDeliveries(request: {
    readonly now: number;
    readonly limit: number;
    readonly exceptAccounts: readonly string[];
  }): Promise<readonly DueDelivery[]>;
  /** Stores an attempt and deletes all but the latest 100 for its batch. Does nothing if the batch does not exist. */
  recordAttempt(attempt: AttemptRecord): Promise<void>;
  /**
   * Returns the selected attempts in descending order of ids; an empty page if `after` is unknown. `after`
   * can be an attempt that the filter does not select.
   */
  attempts(request: PageRequest & AttemptFilter): Promise<AttemptPage>;
  /**
   * Deletes at most `limit` batches whose `prunesAt` is not after `now`, with their items, delivery, attempts and
   * claim; returns their number. Their ids can be used again.
   */
  prune(request: { readonly now: number; readonly limit: number }): Promise<number>;
  /** Deletes all of an account's batches, in chunks and as `prune` does; returns their number. */
  deleteAccount(request: { readonly accountId: string }): Promise<number>;
  stats(request: { readonly now: number }): Promise<BatchStats>;
  /**
   * Calls `wake` when another process submits a batch, if the storage supports it. Best effort:
   * workers also poll.
   */
  watch(wake: () => void): Promise<QueueWatch>;
}

/** Calls `wake` until stopped. */
export interface QueueWatch {
  stop(): Promise<void>;
}
