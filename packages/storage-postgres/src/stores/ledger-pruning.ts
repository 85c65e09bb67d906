import type { PruneRequest } from "@snap/engine/ports";
import { isStorable, type Query } from "../database.ts";
import { deleteInChunks } from "./delete-in-chunks.ts";

/** Rows that one statement reads. */
const ROWS_PER_STATEMENT = 20_000;

/*
 * Each statement counts what it lapses or deletes. Several processes can prune at the same time: each skips
 * ended reservations and balances that another has locked. Reservations and the journal are pruned from their
 * start, so neither needs an index that every render would write.
 */

/** Locks an account's balances in order of time, as in 002-ledger.ts, so there are no deadlocks. */
const LAPSE = `SELECT count(snap.end_reservation(id, 'lapsed', $1)) AS count FROM (
    SELECT id FROM snap.reservations WHERE state = 'open' AND id < $2
    ORDER BY account_id, period_started_at LIMIT $3
  ) AS still_open`;

const PRUNE_RESERVATIONS = `WITH deleted AS (
    DELETE FROM snap.reservations WHERE id IN (
      SELECT id FROM snap.reservations WHERE id < $1 AND state <> 'open' ORDER BY id LIMIT $2
      FOR UPDATE SKIP LOCKED
    ) RETURNING 1
  ) SELECT count(*) AS count FROM deleted`;

const PRUNE_BALANCES = `WITH deleted AS (
    DELETE FROM snap.balances WHERE (account_id, period_started_at) IN (
      SELECT account_id, period_started_at FROM snap.balances WHERE period_started_at < $1 AND NOT EXISTS (
        SELECT 1 FROM snap.reservations WHERE reservations.account_id = balances.account_id AND state = 'open'
          AND reservations.period_started_at = balances.period_started_at
      ) LIMIT $2 FOR UPDATE SKIP LOCKED
    ) RETURNING 1
  ) SELECT count(*) AS count FROM deleted`;

const PRUNE_JOURNAL = `WITH deleted AS (
    DELETE FROM snap.journal WHERE sequence IN (
      SELECT sequence FROM (SELECT * FROM snap.journal ORDER BY sequence LIMIT $2) AS oldest
      WHERE period_started_at < $1 AND NOT EXISTS (
        SELECT 1 FROM snap.balances WHERE balances.account_id = oldest.account_id
          AND balances.period_started_at = oldest.period_started_at
      )
    ) RETURNING 1
  ) SELECT count(*) AS count FROM deleted`;

/** Implements `Ledger.prune`. */
export async function pruneLedger(
  query: Query,
  { now, reservationsBefore, periodsBefore, limit }: PruneRequest,
): Promise<number> {
  const count = async (text: string, values: readonly unknown[]): Promise<number> =>
    (await query<{ count: number }>(text, values))[0]?.count ?? 0;
  await count(LAPSE, [now, reservationsBefore, limit]);
  const reservations = await count(PRUNE_RESERVATIONS, [reservationsBefore, limit]);
  if (periodsBefore === null) return reservations;
  const balances = await count(PRUNE_BALANCES, [periodsBefore, limit]);
  return reservations + balances + (await count(PRUNE_JOURNAL, [periodsBefore, limit]));
}

/**
 * Implements `Ledger.deleteAccount`. Reads all reservations and the whole journal, because neither has an
 * index for this. Without balances, nothing can be reserved, so the reservations go after them; the
 * journal goes last, because a settlement can still be reversed while its reservation exists.
 */
export async function deleteLedger(query: Query, accountId: string): Promise<number> {
  if (!isStorable(accountId)) return 0;
  await query("DELETE FROM snap.balances WHERE account_id = $1", [accountId]);
  await deleteByScan(query, { table: "snap.reservations", key: "id", start: "", accountId });
  return deleteByScan(query, { table: "snap.journal", key: "sequence", start: 0, accountId });
}

/** Deletes an account's rows from a table, in the order of the table's key; returns their number. */
async function deleteByScan(
  query: Query,
  {
    table,
    key,
    start,
    accountId,
  }: {
    readonly table: string;
    readonly key: string;
    readonly start: string | number;
    readonly accountId: string;
  },
): Promise<number> {
  let position = start;
  let deleted = 0;
  await deleteInChunks(async () => {
    const [chunk] = await query<{ end: string | number | null; count: number }>(
      `SELECT max(${key}) AS end, count(*) AS count FROM (
         SELECT ${key} FROM ${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT ${ROWS_PER_STATEMENT}
       ) AS chunk`,
      [position],
    );
    if (chunk === undefined || chunk.end === null) return 0;
    const rows = await query(
      `DELETE FROM ${table} WHERE ${key} > $1 AND ${key} <= $2 AND account_id = $3 RETURNING 1`,
      [position, chunk.end, accountId],
    );
    deleted += rows.length;
    position = chunk.end;
    return chunk.count;
  });
  return deleted;
}
