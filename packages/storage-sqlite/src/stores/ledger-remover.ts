import type { DatabaseSync } from "node:sqlite";
import { inChunks } from "../chunks.ts";
import { prepare } from "../prepare.ts";

/** Rows read per transaction, which takes a few milliseconds. */
const ROWS_PER_TRANSACTION = 5_000;

/** Removes the ledger of an account. */
export interface LedgerRemover {
  /** Returns the number of journal entries removed. */
  remove(accountId: string): Promise<number>;
}

/**
 * Reads all reservations and the whole journal, in chunks: neither has an index on the account. A concurrent settlement
 * finds both its reservation and its balance, or neither.
 */
export function createLedgerRemover(database: DatabaseSync): LedgerRemover {
  const removeBalances = prepare(database, "DELETE FROM balances WHERE account_id = :accountId");
  const removeReservations = prepareScan(database, { table: "reservations", key: "id", start: "" });
  const removeJournal = prepareScan(database, { table: "journal", key: "sequence", start: 0 });
  return {
    async remove(accountId) {
      await removeReservations(accountId);
      removeBalances.run({ accountId });
      return removeJournal(accountId);
    },
  };
}

/** Returns a function that removes the rows of an account from a table, in the order of its key. */
function prepareScan(
  database: DatabaseSync,
  { table, key, start }: { readonly table: string; readonly key: string; readonly start: string | number },
): (accountId: string) => Promise<number> {
  const findEnd = prepare<{ end: string | number | null; count: number }>(
    database,
    `SELECT max(${key}) AS end, count(*) AS count
     FROM (SELECT ${key} FROM ${table} WHERE ${key} > :start ORDER BY ${key} LIMIT ${ROWS_PER_TRANSACTION})`,
  );
  const remove = prepare(
    database,
    `DELETE FROM ${table} WHERE ${key} > :start AND ${key} <= :end AND account_id = :accountId`,
  );
  return async (accountId) => {
    let removed = 0;
    let position = start;
    await inChunks(() => {
      const { end = null, count = 0 } = findEnd.get({ start: position }) ?? {};
      if (end === null) return 0;
      removed += Number(remove.run({ start: position, end, accountId }).changes);
      position = end;
      return count;
    });
    return removed;
  };
}
