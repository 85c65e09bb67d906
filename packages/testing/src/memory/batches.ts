import type { BatchRecord, BatchStore, DeliveryState, ItemState } from "@snap/engine/ports";
import type { MemoryLedger } from "./ledger.ts";

/** Batches in memory, in the order of submission; `ledger` is what a change settles in. */
export function createBatchStore(ledger: Pick<MemoryLedger, "prepareSettle">): BatchStore {
  const batches = new Map<string, BatchRecord>();

  return {
    async insert(batch) {
      if (batches.has(batch.id)) throw new Error(`there is a batch ${batch.id} already`);
      batches.set(batch.id, freeze(structuredClone(batch)));
    },
    async find(batchId) {
      return batches.get(batchId) ?? null;
    },
    async change({ batchId, now, settle, change }) {
      const batch = batches.get(batchId);
      if (batch === undefined) return null;
      // Nothing is settled before the change has agreed, so that there is nothing to take back.
      const ending = settle === undefined ? null : ledger.prepareSettle({ reservationId: settle, now });
      const changed = change(batch, ending?.resolution ?? null);
      if (changed === null) return null;
      ending?.commit();
      batches.set(batchId, freeze(changed));
      return changed;
    },
    async dueItems({ now, ...bounds }) {
      const items = [...batches.values()].flatMap(({ id: batchId, accountId, items: all }) =>
        all.map(({ id: itemId, state }) => ({
          due: { accountId, batchId, itemId },
          claimableAt: claimableAtOf(state),
        })),
      );
      return longestDue(items, { now, ...bounds });
    },
    async dueDeliveries({ now, ...bounds }) {
      const deliveries = [...batches.values()].map(({ id: batchId, accountId, delivery }) => ({
        due: { accountId, batchId },
        claimableAt: delivery === null ? Infinity : claimableAtOf(delivery),
      }));
      return longestDue(deliveries, { now, ...bounds });
    },
    async prune({ now, limit }) {
      const pruned = [...batches.values()]
        .filter(({ prunesAt }) => prunesAt !== null && prunesAt <= now)
        .toSorted((a, b) => Number(a.prunesAt) - Number(b.prunesAt))
        .slice(0, limit);
      for (const { id } of pruned) batches.delete(id);
      return pruned.length;
    },
    async figures({ now }) {
      const all = [...batches.values()];
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
    },
    // There are no others to hear of.
    watch: () => Promise.resolve({ stop: () => Promise.resolve() }),
  };
}

/** The longest due of each account, the longest due first. */
function longestDue<T extends { readonly accountId: string }>(
  queue: readonly { readonly due: T; readonly claimableAt: number }[],
  bounds: { readonly now: number; readonly limit: number; readonly exceptAccounts: readonly string[] },
): readonly T[] {
  const { now, limit, exceptAccounts } = bounds;
  const firstOfAccounts = new Map<string, T>();
  const claimable = queue
    .filter(({ due, claimableAt }) => claimableAt <= now && !exceptAccounts.includes(due.accountId))
    // A stable sort: what is due since the same instant stays in the order of submission.
    .toSorted((a, b) => a.claimableAt - b.claimableAt);
  for (const { due } of claimable)
    if (!firstOfAccounts.has(due.accountId)) firstOfAccounts.set(due.accountId, due);
  return [...firstOfAccounts.values()].slice(0, limit);
}

/** Instant from which it can be claimed; never for what has reached its end. */
function claimableAtOf(state: ItemState | DeliveryState): number {
  if ("dueAt" in state) return state.dueAt;
  return "leaseEndsAt" in state ? state.leaseEndsAt : Infinity;
}

/** Nobody who holds a record may change what is stored. Parts that are frozen already are those kept before. */
function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    for (const part of Object.values(value)) freeze(part);
    Object.freeze(value);
  }
  return value;
}
