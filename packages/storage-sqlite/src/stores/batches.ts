import type {
  BatchChange,
  BatchRecord,
  BatchStore,
  BatchSummary,
  DeliveryState,
  IdempotencyClaim,
  IdempotencyHolder,
  ItemRecord,
  ItemState,
} from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { inChunks } from "../chunks.ts";
import { copyRow } from "../prepare.ts";
import { transact, transactDurably } from "../transaction.ts";
import {
  prepareBatchStatements,
  type BatchRow,
  type BatchStatements,
  type Stats,
  type SummaryRow,
} from "./batch-statements.ts";
import type { Deletions } from "./deletions.ts";
import { createDeliveryAttempts } from "./delivery-attempts.ts";
import type { LedgerStatements } from "./ledger-statements.ts";
import { endReservation, resolutionOf } from "./ledger.ts";

/** Each can have up to 20 items. */
const BATCHES_PER_TRANSACTION = 20;

export interface BatchDependencies {
  readonly ledger: LedgerStatements;
  readonly deletions: Deletions;
}

/** Stores batches with their items and deliveries; settles reservations with the ledger's statements. */
export function createBatchStore(
  database: DatabaseSync,
  { ledger, deletions }: BatchDependencies,
): BatchStore {
  const statements = prepareBatchStatements(database);

  /** Applies a change within a transaction, and writes the result if `shouldWrite` allows it. */
  const apply = (
    { batchId, now, settle, change }: BatchChange,
    shouldWrite: (before: BatchRecord, after: BatchRecord) => boolean,
  ): BatchRecord | null => {
    const rows = statements.find.all({ id: batchId });
    const before = toBatch(rows);
    if (before === null) return null;
    const settled =
      settle === undefined
        ? null
        : resolutionOf(ledger.findReservation.get({ id: settle }), { now, target: "settled" });
    const after = change(before, settled);
    if (after === null || !shouldWrite(before, after)) return null;
    if (settle !== undefined) endReservation(ledger, { reservationId: settle, now, target: "settled" });
    update(statements, rows, after);
    return after;
  };

  return {
    async insert(batch, claim) {
      return transactDurably(database, () =>
        deletions.includes(batch.accountId) ? null : insertUnlessHeld(statements, batch, claim),
      );
    },
    find: async (batchId) => toBatch(statements.find.all({ id: batchId })),
    async page({ after, limit, accountId, isFinished, delivery }) {
      const selection = {
        after: after ?? null,
        accountId: accountId ?? null,
        isFinished: isFinished === undefined ? null : Number(isFinished),
        delivery: delivery ?? null,
      };
      const { page, count } = accountId === undefined ? statements.pages : statements.pagesByAccount;
      const entries = page.all({ ...selection, limit }).map(toSummary);
      const matched = count.get(selection)?.matched ?? 0;
      return { entries, more: Math.max(0, matched - entries.length) };
    },
    async change(request) {
      let finishes = false;
      const changed = transact(database, () =>
        apply(request, (before, after) => {
          finishes = before.finishedAt === null && after.finishedAt !== null;
          return !finishes;
        }),
      );
      // a change that finishes the batch must survive a power failure, so it was not written above: it
      // runs again in a durable transaction
      return finishes ? transactDurably(database, () => apply(request, () => true)) : changed;
    },
    async dueItems({ now, limit, exceptAccounts }) {
      const request = { now, limit, exceptAccounts: JSON.stringify(exceptAccounts) };
      return statements.dueItems.all(request).map(copyRow);
    },
    async dueDeliveries({ now, limit, exceptAccounts }) {
      const request = { now, limit, exceptAccounts: JSON.stringify(exceptAccounts) };
      return statements.dueDeliveries.all(request).map(copyRow);
    },
    ...createDeliveryAttempts(database),
    async prune({ now, limit }) {
      return Number(statements.prune.run({ now, limit }).changes);
    },
    deleteAccount: ({ accountId }) =>
      inChunks(() =>
        Number(statements.removeSome.run({ accountId, limit: BATCHES_PER_TRANSACTION }).changes),
      ),
    async stats({ now }) {
      // an aggregate always returns a row
      const { oldestCreatedAt, ...counts } = statements.stats.get() as Stats;
      return { ...counts, oldestUnfinishedAgeMs: oldestCreatedAt === null ? null : now - oldestCreatedAt };
    },
    // SQLite has no notifications: other processes poll
    watch: () => Promise.resolve({ stop: () => Promise.resolve() }),
  };
}

/** Inserts the batch and returns `null`; if another batch has the key, only returns that one. */
function insertUnlessHeld(
  statements: BatchStatements,
  batch: BatchRecord,
  claim: IdempotencyClaim | undefined,
): IdempotencyHolder | null {
  const { id: batchId, accountId, createdAt: now } = batch;
  if (claim === undefined || statements.claimKey.run({ ...claim, accountId, batchId, now }).changes > 0) {
    insert(statements, batch);
    return null;
  }
  const rows = statements.findHolder.all({ accountId, keyHash: claim.keyHash });
  const holder = toBatch(rows);
  return holder && { batch: holder, digest: rows[0]?.digest ?? "" };
}

function insert(statements: BatchStatements, { items, delivery, ...batch }: BatchRecord): void {
  // an insert that does not throw returns its row
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

/** Writes what differs from `rows`. Parameters change only together with the state, and a delivery is never removed. */
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
    if (state === rows[position]?.state) continue;
    const parameters = JSON.stringify(item.parameters);
    statements.updateItem.run({ sequence, position, parameters, state });
  }
  const state = JSON.stringify(delivery);
  if (delivery !== null && state !== batch.delivery)
    statements.putDelivery.run({ sequence, accountId, state });
}

/** Builds the batch from the ordered rows of its items; returns `null` if there are none. */
export function toBatch(rows: readonly BatchRow[]): BatchRecord | null {
  const [batch] = rows;
  if (batch === undefined) return null;
  const { id, accountId, tokenId, webhookUrl, createdAt, finishedAt, prunesAt } = batch;
  const items = rows.map(toItem);
  const delivery = batch.delivery === null ? null : (JSON.parse(batch.delivery) as DeliveryState);
  return { id, accountId, tokenId, webhookUrl, createdAt, finishedAt, prunesAt, items, delivery };
}

function toSummary({ items, delivery, ...batch }: SummaryRow): BatchSummary {
  return {
    ...batch,
    items: JSON.parse(items) as BatchSummary["items"],
    delivery: delivery === null ? null : (JSON.parse(delivery) as DeliveryState),
  };
}

function toItem({ itemId: id, key, parameters, state }: BatchRow): ItemRecord {
  return {
    id,
    parameters: JSON.parse(parameters) as ItemRecord["parameters"],
    key,
    state: JSON.parse(state) as ItemState,
  };
}
