import type {
  BatchFilter,
  BatchRecord,
  BatchStats,
  BatchStore,
  BatchSummary,
  DeliveryState,
  ItemState,
} from "@snap/engine/ports";
import { createDeliveryAttempts } from "./delivery-attempts.ts";
import { createIdempotencyKeys } from "./idempotency-keys.ts";
import type { MemoryLedger } from "./ledger.ts";
import { pageOf } from "./page-of.ts";

/** Batches in memory, in the order of submission; changes settle reservations in `ledger`. */
export function createBatchStore({
  ledger,
  deletions,
}: {
  readonly ledger: Pick<MemoryLedger, "prepareSettle">;
  readonly deletions: ReadonlyMap<string, number>;
}): BatchStore {
  const batches = new Map<string, BatchRecord>();
  const keys = createIdempotencyKeys((batchId) => batches.get(batchId));
  const attempts = createDeliveryAttempts((batchId) => batches.has(batchId));
  const remove = (selected: readonly BatchRecord[]): number => {
    for (const { id } of selected) {
      batches.delete(id);
      keys.delete(id);
      attempts.delete(id);
    }
    return selected.length;
  };

  return {
    async insert(batch, claim) {
      if (deletions.has(batch.accountId)) return null;
      const holder = claim === undefined ? null : keys.find(batch, claim);
      if (holder !== null) return holder;
      if (batches.has(batch.id)) throw new Error(`batch ${batch.id} already exists`);
      batches.set(batch.id, freeze(structuredClone(batch)));
      if (claim !== undefined) keys.claim(batch, claim);
      return null;
    },
    async find(batchId) {
      return batches.get(batchId) ?? null;
    },
    async page({ after, limit, ...filter }) {
      const newestFirst = [...batches.values()].toReversed();
      const matches = (batch: BatchRecord): boolean => isSelected(batch, filter);
      const { entries, more } = pageOf(newestFirst, { after, limit, matches });
      return { entries: entries.map(summarize), more };
    },
    async change({ batchId, now, settle, change }) {
      const batch = batches.get(batchId);
      if (batch === undefined) return null;
      // settles only after the change has succeeded, so there is nothing to roll back
      const ending = settle === undefined ? null : ledger.prepareSettle({ reservationId: settle, now });
      const changed = change(batch, ending?.resolution ?? null);
      if (changed === null) return null;
      ending?.commit();
      batches.set(batchId, freeze(changed));
      return changed;
    },
    async dueItems({ now, ...limits }) {
      const items = [...batches.values()].flatMap(({ id: batchId, accountId, items: all }) =>
        all.map(({ id: itemId, state }) => ({
          due: { accountId, batchId, itemId },
          claimableAt: claimableAtOf(state),
        })),
      );
      return findLongestDue(items, { now, ...limits });
    },
    async dueDeliveries({ now, ...limits }) {
      const deliveries = [...batches.values()].map(({ id: batchId, accountId, delivery }) => ({
        due: { accountId, batchId },
        claimableAt: delivery === null ? Infinity : claimableAtOf(delivery),
      }));
      return findLongestDue(deliveries, { now, ...limits });
    },
    recordAttempt: attempts.recordAttempt,
    attempts: attempts.attempts,
    async prune({ now, limit }) {
      const pruned = [...batches.values()]
        .filter(({ prunesAt }) => prunesAt !== null && prunesAt <= now)
        .toSorted((a, b) => Number(a.prunesAt) - Number(b.prunesAt))
        .slice(0, limit);
      return remove(pruned);
    },
    async deleteAccount({ accountId }) {
      return remove([...batches.values()].filter((batch) => batch.accountId === accountId));
    },
    stats: async ({ now }) => statsOf([...batches.values()], now),
    // there are no other processes
    watch: () => Promise.resolve({ stop: () => Promise.resolve() }),
  };
}

function statsOf(all: readonly BatchRecord[], now: number): BatchStats {
  const items = all.flatMap((batch) => batch.items);
  const unfinished = all.filter(({ finishedAt }) => finishedAt === null);
  const oldest = Math.min(...unfinished.map(({ createdAt }) => createdAt));
  return {
    queuedItems: items.filter(({ state }) => state.status === "queued").length,
    renderingItems: items.filter(({ state }) => state.status === "rendering").length,
    oldestUnfinishedAgeMs: unfinished.length === 0 ? null : now - oldest,
    openDeliveries: all.filter(({ delivery }) => delivery !== null && claimableAtOf(delivery) < Infinity)
      .length,
  };
}

function isSelected(batch: BatchRecord, { accountId, isFinished, delivery }: BatchFilter): boolean {
  return (
    (accountId === undefined || batch.accountId === accountId) &&
    (isFinished === undefined || (batch.finishedAt !== null) === isFinished) &&
    (delivery === undefined || batch.delivery?.status === delivery)
  );
}

function summarize({ items, ...batch }: BatchRecord): BatchSummary {
  const counts = { queued: 0, rendering: 0, done: 0, failed: 0 };
  for (const { state } of items) counts[state.status] += 1;
  return { ...batch, items: counts };
}

/** Returns each account's longest due entry, the longest due first. */
function findLongestDue<T extends { readonly accountId: string }>(
  queue: readonly { readonly due: T; readonly claimableAt: number }[],
  limits: { readonly now: number; readonly limit: number; readonly exceptAccounts: readonly string[] },
): readonly T[] {
  const { now, limit, exceptAccounts } = limits;
  const firstByAccount = new Map<string, T>();
  const claimable = queue
    .filter(({ due, claimableAt }) => claimableAt <= now && !exceptAccounts.includes(due.accountId))
    // a stable sort, to preserve the order of submission for equal instants
    .toSorted((a, b) => a.claimableAt - b.claimableAt);
  for (const { due } of claimable)
    if (!firstByAccount.has(due.accountId)) firstByAccount.set(due.accountId, due);
  return [...firstByAccount.values()].slice(0, limit);
}

/** Returns the time from which an item or a delivery can be claimed; `Infinity` if it is finished. */
function claimableAtOf(state: ItemState | DeliveryState): number {
  if ("dueAt" in state) return state.dueAt;
  return "leaseEndsAt" in state ? state.leaseEndsAt : Infinity;
}

/** Freezes a record, so callers cannot change the stored one. Skips parts that are already frozen. */
function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const part of Object.values(value)) freeze(part);
    Object.freeze(value);
  }
  return value;
}
