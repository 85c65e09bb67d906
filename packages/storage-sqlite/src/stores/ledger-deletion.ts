import type { Ledger } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepareScan } from "../chunks.ts";
import { prepare } from "../prepare.ts";

/** Rows read per transaction, which takes a few milliseconds. */
const ROWS_PER_TRANSACTION = 5_000;

/**
 * Returns `Ledger.deleteAccount`. Reads all reservations and the whole journal, in chunks: neither has
 * an index for this. Deletes the balances first, so nothing more can be reserved; then the
 * reservations; and the journal last, because resolving a remaining reservation writes to it.
 */
export function prepareLedgerDeletion(database: DatabaseSync): Ledger["deleteAccount"] {
  const removeBalances = prepare(database, "DELETE FROM balances WHERE account_id = :accountId");
  const removeReservations = prepareRemoval(database, { table: "reservations", key: "id", start: "" });
  const removeJournal = prepareRemoval(database, { table: "journal", key: "sequence", start: 0 });
  return async ({ accountId }) => {
    removeBalances.run({ accountId });
    await removeReservations(accountId);
    return removeJournal(accountId);
  };
}

/** Returns a function that removes an account's rows from a table, in the order of the table's key. */
function prepareRemoval(
  database: DatabaseSync,
  { table, key, start }: { readonly table: string; readonly key: string; readonly start: string | number },
): (accountId: string) => Promise<number> {
  const scan = prepareScan(database, { table, key, start, rowsPerTransaction: ROWS_PER_TRANSACTION });
  const remove = prepare(
    database,
    `DELETE FROM ${table} WHERE ${key} > :start AND ${key} <= :end AND account_id = :accountId`,
  );
  return (accountId) => scan((range) => Number(remove.run({ ...range, accountId }).changes));
}
