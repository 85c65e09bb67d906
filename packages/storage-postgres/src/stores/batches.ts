import type { BatchRecord, BatchStore, DueDelivery, DueItem } from "@snap/engine/ports";
import { isDeepStrictEqual } from "node:util";
import { isStorable, type Database, type Query } from "../database.ts";
import { isUniqueViolation } from "../faults.ts";
import type { BatchSignal } from "../batch-signal.ts";
import { DUE_DELIVERIES, DUE_ITEMS, STATS } from "./batch-queues.ts";
import { BATCH_PAGES, toSummary, type SummaryRow } from "./batch-pages.ts";
import { claimableAtOf, toBatch, type BatchRow } from "./batch-rows.ts";
import { claimKey } from "./idempotency-keys.ts";
import { deleteInChunks } from "./delete-in-chunks.ts";
import { createDeliveryAttempts } from "./delivery-attempts.ts";
import { endReservation } from "./ledger.ts";

interface Stats {
  readonly queuedItems: number;
  readonly renderingItems: number;
  readonly oldestCreatedAt: number | null;
  readonly openDeliveries: number;
}

/** Each can have up to 20 items. */
const BATCHES_PER_STATEMENT = 100;

/** Stores batches with their items and deliveries, and notifies workers on all machines of new batches. */
export function createBatchStore(database: Database, signal: BatchSignal): BatchStore {
  const { query } = database;
  return {
    async insert(batch, claim) {
      const outcome = await database.transaction(async (inTransaction, isRepeated) => {
        try {
          const holder = claim === undefined ? null : await claimKey(inTransaction, { batch, claim });
          if (holder !== null) return { holder };
          if (!(await insert(inTransaction, batch))) return null;
        } catch (error) {
          // the first transaction had committed when its connection was lost
          if (isRepeated && isUniqueViolation(error)) return null;
          throw error;
        }
        await signal.send(inTransaction);
        return { holder: null };
      });
      return outcome?.holder ?? null;
    },
    async find(batchId) {
      if (!isStorable(batchId)) return null;
      return toBatch(await query<BatchRow>("SELECT * FROM snap.find_batch($1)", [batchId]));
    },
    async page({ after, limit, accountId, isFinished, delivery }) {
      if (![after ?? "", accountId ?? ""].every(isStorable)) return { entries: [], more: 0 };
      const text = accountId === undefined ? BATCH_PAGES.all : BATCH_PAGES.byAccount;
      const rows = await query<SummaryRow>(text, [
        after ?? null,
        accountId ?? null,
        isFinished ?? null,
        delivery ?? null,
        limit,
      ]);
      const entries = rows.slice(0, limit).map(toSummary);
      return { entries, more: (rows[0]?.matched ?? 0) - entries.length };
    },
    change: createChange(database),
    dueItems: ({ now, limit, exceptAccounts }) => query<DueItem>(DUE_ITEMS, [now, limit, exceptAccounts]),
    dueDeliveries: ({ now, limit, exceptAccounts }) =>
      query<DueDelivery>(DUE_DELIVERIES, [now, limit, exceptAccounts]),
    ...createDeliveryAttempts(database),
    async prune({ now, limit }) {
      const pruned = await query(
        `DELETE FROM snap.batches WHERE sequence IN (
           SELECT sequence FROM snap.batches WHERE prunes_at <= $1 ORDER BY prunes_at LIMIT $2
           FOR UPDATE SKIP LOCKED
         ) RETURNING sequence`,
        [now, limit],
      );
      return pruned.length;
    },
    async deleteAccount({ accountId }) {
      if (!isStorable(accountId)) return 0;
      return deleteInChunks(async () => {
        const deleted = await query(
          `DELETE FROM snap.batches WHERE sequence IN (
             SELECT sequence FROM snap.batches WHERE account_id = $1 LIMIT ${BATCHES_PER_STATEMENT}
           ) RETURNING sequence`,
          [accountId],
        );
        return deleted.length;
      });
    },
    async stats({ now }) {
      // an aggregate always returns a row
      const [{ oldestCreatedAt, ...counts }] = (await query<Stats>(STATS)) as [Stats];
      return { ...counts, oldestUnfinishedAgeMs: oldestCreatedAt === null ? null : now - oldestCreatedAt };
    },
    watch: (wake) => signal.watch(wake),
  };
}

function createChange(database: Database): BatchStore["change"] {
  return async ({ batchId, now, settle, change }) => {
    if (!isStorable(batchId)) return null;
    let written: BatchRecord | null = null;
    return database.transaction(async (inTransaction, isRepeated) => {
      const rows = await inTransaction<BatchRow>("SELECT * FROM snap.hold_batch($1)", [batchId]);
      const before = toBatch(rows);
      if (before === null) return null;
      const settled =
        settle === undefined
          ? null
          : await endReservation(inTransaction, { reservationId: settle, now, target: "settled" });
      // the first transaction had committed when its connection was lost
      if (isRepeated && written !== null && isDeepStrictEqual(before, asStored(written))) return before;
      const after = change(before, settled);
      if (after !== null) await update(inTransaction, rows, after);
      written = after;
      return after;
    });
  };
}

/** Drops the fields that are undefined, as storing the batch and reading it back does. */
function asStored(batch: BatchRecord): BatchRecord {
  return JSON.parse(JSON.stringify(batch)) as BatchRecord;
}

/** Returns `false`, and inserts nothing, if the account is being deleted. */
async function insert(query: Query, { items, delivery, ...batch }: BatchRecord): Promise<boolean> {
  const { id, accountId, tokenId, webhookUrl, createdAt, finishedAt, prunesAt } = batch;
  const [row] = await query<Pick<BatchRow, "sequence">>(
    `INSERT INTO snap.batches (id, account_id, token_id, webhook_url, created_at, finished_at, prunes_at)
     SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT snap.is_deleted($2) RETURNING sequence`,
    [id, accountId, tokenId, webhookUrl, createdAt, finishedAt, prunesAt],
  );
  if (row === undefined) return false;
  const { sequence } = row;
  await query(
    `INSERT INTO snap.batch_items (batch, account_id, position, id, key, parameters, state, status, claimable_at)
     SELECT $1, $2, item.* FROM unnest(
       $3::INTEGER[], $4::TEXT[], $5::TEXT[], $6::TEXT[], $7::TEXT[], $8::TEXT[], $9::BIGINT[]
     ) AS item`,
    [
      sequence,
      accountId,
      items.map((_, position) => position),
      items.map((item) => item.id),
      items.map((item) => item.key),
      items.map((item) => JSON.stringify(item.parameters)),
      items.map((item) => JSON.stringify(item.state)),
      items.map((item) => item.state.status),
      items.map((item) => claimableAtOf(item.state)),
    ],
  );
  if (delivery !== null) await putDelivery(query, { sequence, accountId, delivery });
  return true;
}

/** Writes what differs from `rows`. Parameters change only together with the state, and a delivery is never removed. */
async function update(
  query: Query,
  rows: readonly BatchRow[],
  { accountId, finishedAt, prunesAt, items, delivery }: BatchRecord,
): Promise<void> {
  const [batch] = rows;
  if (batch === undefined) return;
  const { sequence } = batch;
  const changed = items.flatMap(({ parameters, state }, position) => {
    const text = JSON.stringify(state);
    if (text === rows[position]?.state) return [];
    return [{ position, parameters: JSON.stringify(parameters), state, text }];
  });
  if (changed.length > 0)
    await query(
      `UPDATE snap.batch_items AS item SET parameters = coalesce(changed.parameters, item.parameters),
         state = changed.state, status = changed.status, claimable_at = changed.claimable_at
       FROM unnest($2::INTEGER[], $3::TEXT[], $4::TEXT[], $5::TEXT[], $6::BIGINT[])
         AS changed (position, parameters, state, status, claimable_at)
       WHERE item.batch = $1 AND item.position = changed.position`,
      [
        sequence,
        changed.map(({ position }) => position),
        // sent, and written, only if they differ: they may be long
        changed.map(({ position, parameters }) =>
          parameters === rows[position]?.parameters ? null : parameters,
        ),
        changed.map(({ text }) => text),
        changed.map(({ state }) => state.status),
        changed.map(({ state }) => claimableAtOf(state)),
      ],
    );
  if (finishedAt !== batch.finished_at || prunesAt !== batch.prunes_at)
    await query("UPDATE snap.batches SET finished_at = $2, prunes_at = $3 WHERE sequence = $1", [
      sequence,
      finishedAt,
      prunesAt,
    ]);
  if (delivery !== null && JSON.stringify(delivery) !== batch.delivery)
    await putDelivery(query, { sequence, accountId, delivery });
}

async function putDelivery(
  query: Query,
  {
    sequence,
    accountId,
    delivery,
  }: {
    readonly sequence: number;
    readonly accountId: string;
    readonly delivery: NonNullable<BatchRecord["delivery"]>;
  },
): Promise<void> {
  await query(
    `INSERT INTO snap.deliveries (batch, account_id, state, claimable_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (batch) DO UPDATE SET state = excluded.state, claimable_at = excluded.claimable_at`,
    [sequence, accountId, JSON.stringify(delivery), claimableAtOf(delivery)],
  );
}
