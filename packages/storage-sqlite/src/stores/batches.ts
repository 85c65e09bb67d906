import type {
  BatchChange,
  BatchRecord,
  BatchStore,
  DeliveryState,
  ItemRecord,
  ItemState,
} from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { durably, writing } from "../transaction.ts";
import {
  prepareBatchStatements,
  type BatchRow,
  type BatchStatements,
  type Figures,
} from "./batch-statements.ts";
import type { LedgerStatements } from "./ledger-statements.ts";
import { endReservation } from "./ledger.ts";

/** Batches with their items and deliveries; what settles a reservation does so through `ledger`. */
export function createBatchStore(database: DatabaseSync, ledger: LedgerStatements): BatchStore {
  const statements = prepareBatchStatements(database);

  /** One change within an open transaction, written only if `isToWrite` agrees with what it makes. */
  const apply = (
    { batchId, now, settle, change }: BatchChange,
    isToWrite: (before: BatchRecord, after: BatchRecord) => boolean,
  ): BatchRecord | null => {
    const rows = statements.find.all({ id: batchId });
    const before = toBatch(rows);
    if (before === null) return null;
    const settled =
      settle === undefined ? null : endReservation(ledger, { reservationId: settle, now, wanted: "settled" });
    const after = change(before, settled);
    if (after === null || !isToWrite(before, after)) return null;
    update(statements, rows, after);
    return after;
  };

  return {
    async insert(batch) {
      durably(database, () => writing(database, () => insert(statements, batch)));
    },
    async find(batchId) {
      return toBatch(statements.find.all({ id: batchId }));
    },
    async change(request) {
      let finishes = false;
      const changed = writing(database, () =>
        apply(request, (before, after) => {
          finishes = before.finishedAt === null && after.finishedAt !== null;
          return !finishes;
        }),
      );
      // What finishes a batch has to survive a loss of power, and a transaction that has begun can't be
      // made to: this one was taken back, and the change is made again.
      return finishes
        ? durably(database, () => writing(database, () => apply(request, () => true)))
        : changed;
    },
    async dueItems({ now, limit, exceptAccounts }) {
      const rows = statements.dueItems.all({ now, limit, exceptAccounts: JSON.stringify(exceptAccounts) });
      return rows.map(({ accountId, batchId, itemId }) => ({ accountId, batchId, itemId }));
    },
    async dueDeliveries({ now, limit, exceptAccounts }) {
      const asked = { now, limit, exceptAccounts: JSON.stringify(exceptAccounts) };
      return statements.dueDeliveries.all(asked).map(({ accountId, batchId }) => ({ accountId, batchId }));
    },
    async prune({ now, limit }) {
      return Number(statements.prune.run({ now, limit }).changes);
    },
    async figures({ now }) {
      // An aggregate always answers its row.
      const { oldestCreatedAt, ...counts } = statements.figures.get() as Figures;
      return { ...counts, oldestUnfinishedAgeMs: oldestCreatedAt === null ? null : now - oldestCreatedAt };
    },
    // The file tells nobody: other processes look for themselves.
    watch: () => Promise.resolve({ stop: () => Promise.resolve() }),
  };
}

function insert(statements: BatchStatements, { items, delivery, ...batch }: BatchRecord): void {
  // An insert that does not throw answers its row.
  const { sequence } = statements.insert.get({ ...batch }) as Pick<BatchRow, "sequence">;
  const { accountId } = batch;
  for (const [position, { id, key, parameters, state }] of items.entries())
    statements.insertItem.run({
      sequence,
      position,
      id,
      accountId,
      key,
      parameters: JSON.stringify(parameters),
      state: JSON.stringify(state),
    });
  if (delivery !== null) statements.putDelivery.run({ sequence, accountId, state: JSON.stringify(delivery) });
}

/** Writes what differs from `rows`. What was submitted stays as it is, and a delivery is never withdrawn. */
function update(
  statements: BatchStatements,
  rows: readonly BatchRow[],
  { finishedAt, prunesAt, items, delivery }: BatchRecord,
): void {
  const [batch] = rows;
  if (batch === undefined) return;
  const { sequence, accountId } = batch;
  if (finishedAt !== batch.finishedAt || prunesAt !== batch.prunesAt)
    statements.finish.run({ sequence, finishedAt, prunesAt });
  for (const [position, item] of items.entries()) {
    const state = JSON.stringify(item.state);
    if (state !== rows[position]?.state) statements.updateItem.run({ sequence, position, state });
  }
  const state = JSON.stringify(delivery);
  if (delivery !== null && state !== batch.delivery)
    statements.putDelivery.run({ sequence, accountId, state });
}

/** The batch in the rows of its items, in their order; `null` when there are none. */
export function toBatch(rows: readonly BatchRow[]): BatchRecord | null {
  const [batch] = rows;
  if (batch === undefined) return null;
  const { id, accountId, tokenId, webhookUrl, createdAt, finishedAt, prunesAt } = batch;
  const items = rows.map(toItem);
  const delivery = batch.delivery === null ? null : (JSON.parse(batch.delivery) as DeliveryState);
  return { id, accountId, tokenId, webhookUrl, createdAt, finishedAt, prunesAt, items, delivery };
}

function toItem({ itemId: id, key, parameters, state }: BatchRow): ItemRecord {
  return {
    id,
    parameters: JSON.parse(parameters) as ItemRecord["parameters"],
    key,
    state: JSON.parse(state) as ItemState,
  };
}
