import type { BatchRecord, BatchStore, DueDelivery, IdempotencyHolder, Storage } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { findFailures } from "./find-failures.ts";

type Fault = [fault: string, faultOf: (storage: Storage) => Partial<BatchStore>, failing: string];

const RECORD_FAULTS: readonly Fault[] = [
  [
    "returns the caller's own record objects",
    ({ batches }) => {
      const inserted = new Map<string, BatchRecord>();
      return {
        async insert(batch, claim) {
          const holder = await batches.insert(batch, claim);
          inserted.set(batch.id, batch);
          return holder;
        },
        find: async (id) => inserted.get(id) ?? null,
      };
    },
    "isolates stored records from its arguments and results",
  ],
  [
    "overwrites an existing batch",
    ({ batches }) => ({
      async insert(batch, claim) {
        if ((await batches.find(batch.id)) === null) return batches.insert(batch, claim);
        await batches.change({ batchId: batch.id, now: 0, change: () => batch });
        return null;
      },
    }),
    "rejects a batch whose id is taken, without changing the existing one",
  ],
  [
    "sorts the items",
    ({ batches }) => ({
      insert: (batch) =>
        batches.insert({ ...batch, items: batch.items.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }),
    }),
    "returns items in the order of submission",
  ],
  [
    "truncates long parameters",
    ({ batches }) => ({
      insert: (batch) =>
        batches.insert({
          ...batch,
          items: batch.items.map((item) => ({
            ...item,
            parameters: { ...item.parameters, url: item.parameters.url.slice(0, 255) },
          })),
        }),
    }),
    "returns any parameters unchanged",
  ],
];

const KEY_FAULTS: readonly Fault[] = [
  [
    "ignores idempotency keys",
    ({ batches }) => ({ insert: (batch) => batches.insert(batch) }),
    "stores one batch per account and idempotency key",
  ],
  [
    "shares idempotency keys between accounts",
    ({ batches }) => {
      const holders = new Map<string, IdempotencyHolder>();
      return {
        async insert(batch, claim) {
          const holder = holders.get(claim?.keyHash ?? "");
          if (holder !== undefined) return holder;
          if (claim !== undefined) holders.set(claim.keyHash, { batch, digest: claim.digest });
          return batches.insert(batch, claim);
        },
      };
    },
    "isolates the keys of accounts, and distinguishes unusual keys",
  ],
  [
    "frees an idempotency key a millisecond late",
    ({ batches }) => ({
      insert: (batch, claim) => batches.insert(batch, claim && { ...claim, expiresAt: claim.expiresAt + 1 }),
    }),
    "frees a key at the millisecond at which its claim expires",
  ],
  [
    "stores a batch before it claims the key",
    ({ batches }) => ({
      async insert(batch, claim) {
        await batches.insert(batch);
        if (claim === undefined) return null;
        const holder = await batches.insert({ ...batch, id: `${batch.id}, again` }, claim);
        return holder;
      },
    }),
    "stores one of many batches that are inserted concurrently with one key",
  ],
];

const CHANGE_FAULTS: readonly Fault[] = [
  [
    "stores no change to parameters",
    ({ batches }) => ({
      change: ({ change, ...request }) =>
        batches.change({
          ...request,
          change(before, settled) {
            const after = change(before, settled);
            const [first] = before.items;
            return (
              after && {
                ...after,
                items: after.items.map((item) =>
                  Object.assign({}, item, { parameters: first?.parameters ?? item.parameters }),
                ),
              }
            );
          },
        }),
    }),
    "stores and returns the result of a change",
  ],
  ["settles although the change returns null", settlesFirst, "rolls back when the change returns null"],
  ["settles although the change throws", settlesFirst, "rolls back and rejects when the change throws"],
  ["settles for an unknown batch", settlesFirst, "does nothing for an unknown batch"],
  [
    "does not settle",
    ({ batches }) => ({
      change: ({ settle, change, ...request }) =>
        batches.change({
          ...request,
          change: (batch) => change(batch, settle === undefined ? null : "settled"),
        }),
    }),
    "settles the reservation and stores the change",
  ],
  [
    "does not settle with the change that finishes a batch",
    ({ batches }) => ({
      async change(request) {
        const before = await batches.find(request.batchId);
        const after = before === null ? null : request.change(before, "settled");
        if (after === null || after.finishedAt === null) return batches.change(request);
        return batches.change({ batchId: after.id, now: request.now, change: () => after });
      },
    }),
    "settles once with the change that finishes the batch",
  ],
  [
    "lets a reservation lapse a millisecond late",
    ({ batches }) => ({ change: (request) => batches.change({ ...request, now: request.now - 1 }) }),
    "passes the reservation's resolution to the change",
  ],
  [
    "reads a batch before the write transaction",
    readsFirst,
    "accepts only one of many concurrent claims on one item",
  ],
  ["loses concurrent changes", readsFirst, "preserves concurrent changes to one batch"],
  [
    "returns the batch as it was before the change",
    ({ batches }) => ({
      async change(request) {
        const before = await batches.find(request.batchId);
        return (await batches.change(request)) && before;
      },
    }),
    "stores and returns the result of a change",
  ],
];

const QUEUE_FAULTS: readonly Fault[] = [
  [
    "lets a lease expire a millisecond late",
    ({ batches }) => ({ dueItems: (request) => batches.dueItems({ ...request, now: request.now - 1 }) }),
    "returns a rendering item from the millisecond at which its lease expires",
  ],
  [
    "returns two items of one account",
    ({ batches }) => ({
      async dueItems(request) {
        const due = await batches.dueItems(request);
        const [first] = due;
        const batch = first === undefined ? null : await batches.find(first.batchId);
        const other = batch?.items.find(({ id, state }) => id !== first?.itemId && state.status === "queued");
        return first === undefined || other === undefined ? due : [...due, { ...first, itemId: other.id }];
      },
    }),
    "returns one item per account: the longest due, then the first submitted",
  ],
  [
    "sorts accounts by id",
    ({ batches }) => ({
      dueItems: async (request) =>
        (await batches.dueItems(request)).toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1)),
    }),
    "orders accounts by the longest due item, then by submission",
  ],
  [
    "counts excluded accounts against the limit",
    ({ batches }) => ({
      async dueItems({ exceptAccounts, ...request }) {
        const due = await batches.dueItems({ ...request, exceptAccounts: [] });
        return due.filter(({ accountId }) => !exceptAccounts.includes(accountId));
      },
    }),
    "excludes the items of the given accounts",
  ],
  [
    "returns more deliveries than the limit",
    ({ batches }) => ({
      dueDeliveries: ({ limit, ...request }) => batches.dueDeliveries({ ...request, limit: limit + 1 }),
    }),
    "returns one delivery per account, the longest due first",
  ],
  [
    "returns deliveries of excluded accounts",
    ({ batches }) => ({
      dueDeliveries: (request) => batches.dueDeliveries({ ...request, exceptAccounts: [] }),
    }),
    "excludes the deliveries of the given accounts",
  ],
  [
    "returns a delivery a millisecond late",
    ({ batches }) => ({
      dueDeliveries: (request) => batches.dueDeliveries({ ...request, now: request.now - 1 }),
    }),
    "returns a delivery from the millisecond at which it is due or its lease expires",
  ],
  [
    "prunes unfinished batches",
    ({ batches }) => ({
      insert: (batch) => batches.insert({ ...batch, prunesAt: batch.prunesAt ?? batch.createdAt }),
    }),
    "does not delete unfinished batches",
  ],
  [
    "prunes a millisecond early",
    ({ batches }) => ({ prune: ({ now, limit }) => batches.prune({ now: now + 1, limit }) }),
    "deletes batches from the millisecond at which they can be pruned, up to the limit",
  ],
  [
    "does not delete the deliveries of pruned batches",
    ({ batches }) => {
      const left: DueDelivery[] = [];
      return {
        async prune(request) {
          left.push(...(await batches.dueDeliveries({ ...request, exceptAccounts: [] })));
          return batches.prune(request);
        },
        dueDeliveries: async (request) => [...left, ...(await batches.dueDeliveries(request))],
      };
    },
    "deletes items and deliveries with their batch",
  ],
  [
    "counts due items instead of queued ones",
    ({ batches }) => ({
      stats: async (request) => ({
        ...(await batches.stats(request)),
        queuedItems: (await batches.dueItems({ ...request, limit: 100, exceptAccounts: [] })).length,
      }),
    }),
    "counts unfinished items and open deliveries, with the oldest unfinished batch's age",
  ],
];

/** Settles in a separate transaction before the change. */
function settlesFirst({ batches, ledger }: Storage): Partial<BatchStore> {
  return {
    async change({ settle, change, ...request }) {
      const settled =
        settle === undefined ? null : await ledger.settle({ reservationId: settle, now: request.now });
      return batches.change({ ...request, change: (batch) => change(batch, settled) });
    },
  };
}

/** Applies the change to a batch that was read before the transaction. */
function readsFirst({ batches }: Storage): Partial<BatchStore> {
  return {
    async change({ change, ...request }) {
      const before = await batches.find(request.batchId);
      return batches.change({
        ...request,
        change: (_, settled) => (before === null ? null : change(before, settled)),
      });
    },
  };
}

describe("the suite of the batch store", () => {
  it.each([...RECORD_FAULTS, ...KEY_FAULTS, ...CHANGE_FAULTS, ...QUEUE_FAULTS])(
    "fails a storage that %s",
    async (_, faultOf, failing) => {
      const inject = (storage: Storage): Partial<Storage> => ({
        batches: { ...storage.batches, ...faultOf(storage) },
      });
      expect(await findFailures(inject, failing)).toEqual([failing]);
    },
  );
});
