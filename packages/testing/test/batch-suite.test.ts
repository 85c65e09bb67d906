import type { BatchRecord, BatchStore, Storage, DueDelivery } from "@snap/engine/ports";
import { describe, expect, it } from "vitest";
import { failuresOf } from "./failures-of.ts";

type Fault = [fault: string, damage: (storage: Storage) => Partial<BatchStore>, failing: string];

const IN_RECORDS: readonly Fault[] = [
  [
    "hands out the records that it was handed",
    ({ batches }) => {
      const handedIn = new Map<string, BatchRecord>();
      return {
        async insert(batch) {
          await batches.insert(batch);
          handedIn.set(batch.id, batch);
        },
        find: async (id) => handedIn.get(id) ?? null,
      };
    },
    "does not share its records",
  ],
  [
    "stores a batch over another",
    ({ batches }) => ({
      async insert(batch) {
        if ((await batches.find(batch.id)) === null) await batches.insert(batch);
        else await batches.change({ batchId: batch.id, now: 0, change: () => batch });
      },
    }),
    "rejects a batch whose id is taken, and keeps the one that is there",
  ],
  [
    "sorts the items",
    ({ batches }) => ({
      insert: (batch) =>
        batches.insert({ ...batch, items: batch.items.toSorted((a, b) => (a.id < b.id ? -1 : 1)) }),
    }),
    "keeps the items in the order of submission",
  ],
  [
    "cuts long parameters",
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
    "gives parameters back, whatever they hold",
  ],
];

const IN_CHANGES: readonly Fault[] = [
  [
    "keeps the settlement of a change that refuses",
    settlesFirst,
    "takes everything back when the change refuses",
  ],
  [
    "keeps the settlement of a change that throws",
    settlesFirst,
    "takes everything back when the change throws, and rejects with what it threw",
  ],
  ["settles for a batch that isn't there", settlesFirst, "does nothing about a batch that isn't there"],
  [
    "forgets to settle",
    ({ batches }) => ({
      change: ({ settle, change, ...request }) =>
        batches.change({
          ...request,
          change: (batch) => change(batch, settle === undefined ? null : "settled"),
        }),
    }),
    "settles and stores in one",
  ],
  [
    "forgets to settle with the change that finishes a batch",
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
    "settles a millisecond after the lapse",
    ({ batches }) => ({ change: (request) => batches.change({ ...request, now: request.now - 1 }) }),
    "tells the change how the reservation ended, whatever became of it",
  ],
  [
    "reads a batch before it writes, and lets others in between",
    readsFirst,
    "of many claims of one item at once, lets one through",
  ],
  ["loses changes made at once", readsFirst, "loses none of many changes of one batch at once"],
  [
    "answers the batch as it was",
    ({ batches }) => ({
      async change(request) {
        const before = await batches.find(request.batchId);
        return (await batches.change(request)) && before;
      },
    }),
    "stores and answers what a change makes of the batch as it is",
  ],
];

const IN_QUEUES: readonly Fault[] = [
  [
    "holds a lease for a millisecond too long",
    ({ batches }) => ({ dueItems: (request) => batches.dueItems({ ...request, now: request.now - 1 }) }),
    "offers a rendering item from the millisecond at which its lease ends",
  ],
  [
    "offers two items of one account",
    ({ batches }) => ({
      async dueItems(request) {
        const due = await batches.dueItems(request);
        const [first] = due;
        const batch = first === undefined ? null : await batches.find(first.batchId);
        const other = batch?.items.find(({ id, state }) => id !== first?.itemId && state.status === "queued");
        return first === undefined || other === undefined ? due : [...due, { ...first, itemId: other.id }];
      },
    }),
    "offers one item of an account, the longest due, then the first submitted",
  ],
  [
    "offers the accounts in the order of their names",
    ({ batches }) => ({
      dueItems: async (request) =>
        (await batches.dueItems(request)).toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1)),
    }),
    "orders the accounts by who waits the longest, then by submission",
  ],
  [
    "counts the accounts that it passes over",
    ({ batches }) => ({
      async dueItems({ exceptAccounts, ...request }) {
        const due = await batches.dueItems({ ...request, exceptAccounts: [] });
        return due.filter(({ accountId }) => !exceptAccounts.includes(accountId));
      },
    }),
    "passes over the accounts it is told to",
  ],
  [
    "offers more deliveries than it was asked for",
    ({ batches }) => ({
      dueDeliveries: ({ limit, ...request }) => batches.dueDeliveries({ ...request, limit: limit + 1 }),
    }),
    "offers one delivery of an account, its longest due, the longest due first",
  ],
  [
    "offers deliveries of accounts that it should pass over",
    ({ batches }) => ({
      dueDeliveries: (request) => batches.dueDeliveries({ ...request, exceptAccounts: [] }),
    }),
    "passes over the accounts of deliveries it is told to",
  ],
  [
    "offers a delivery a millisecond late",
    ({ batches }) => ({
      dueDeliveries: (request) => batches.dueDeliveries({ ...request, now: request.now - 1 }),
    }),
    "offers a delivery from the millisecond at which it is due, or its lease ends",
  ],
  [
    "prunes unfinished batches",
    ({ batches }) => ({
      insert: (batch) => batches.insert({ ...batch, prunesAt: batch.prunesAt ?? batch.createdAt }),
    }),
    "never deletes what is unfinished",
  ],
  [
    "prunes a millisecond early",
    ({ batches }) => ({ prune: ({ now, limit }) => batches.prune({ now: now + 1, limit }) }),
    "deletes batches from the millisecond on, at most so many at a time",
  ],
  [
    "leaves the deliveries of what it prunes",
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
    "counts what is due instead of what waits",
    ({ batches }) => ({
      figures: async (request) => ({
        ...(await batches.figures(request)),
        queuedItems: (await batches.dueItems({ ...request, limit: 100, exceptAccounts: [] })).length,
      }),
    }),
    "counts what waits and what runs",
  ],
];

/** Settles in a transaction of its own, before the change. */
function settlesFirst({ batches, ledger }: Storage): Partial<BatchStore> {
  return {
    async change({ settle, change, ...request }) {
      const settled =
        settle === undefined ? null : await ledger.settle({ reservationId: settle, now: request.now });
      return batches.change({ ...request, change: (batch) => change(batch, settled) });
    },
  };
}

/** Makes its change of what it read a moment ago. */
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
  it.each([...IN_RECORDS, ...IN_CHANGES, ...IN_QUEUES])(
    "fails a storage that %s",
    async (_, damage, failing) => {
      const damaged = (storage: Storage): Partial<Storage> => ({
        batches: { ...storage.batches, ...damage(storage) },
      });
      expect(await failuresOf(damaged)).toContain(failing);
    },
  );
});
