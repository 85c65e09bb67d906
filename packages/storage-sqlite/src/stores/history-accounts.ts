import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";
import { hashText } from "../text-hash.ts";

/** Maps account ids to the numbers that the history stores. */
export interface HistoryAccounts {
  /** Returns `null` if the account has no number. */
  find(accountId: string): number | null;
  /** Returns the account's number; assigns one if it has none. */
  findOrAssign(accountId: string): number;
  /** Overwrites the id in place. Deleting the row could move other rows, which would leave copies behind. */
  erase(number: number): void;
}

export function createHistoryAccounts(database: DatabaseSync): HistoryAccounts {
  const find = prepare<{ number: number }>(
    database,
    "SELECT number FROM history_accounts WHERE hash = :hash AND account_id = :accountId",
  );
  const insert = prepare<{ number: number }>(
    database,
    "INSERT INTO history_accounts (hash, account_id) VALUES (:hash, :accountId) RETURNING number",
  );
  const erase = prepare(
    database,
    `UPDATE history_accounts SET account_id = ${zerosFor("account_id")} WHERE number = :number`,
  );
  const valuesOf = (accountId: string): { hash: number; accountId: string } => ({
    hash: hashText(accountId),
    accountId,
  });
  return {
    find: (accountId) => find.get(valuesOf(accountId))?.number ?? null,
    findOrAssign(accountId) {
      const values = valuesOf(accountId);
      const row = find.get(values) ?? insert.get(values);
      // an insert that does not throw returns its row
      return (row as { number: number }).number;
    },
    erase: (number) => void erase.run({ number }),
  };
}

/** Returns an SQL expression for zeros of the same length in bytes as the text in a column. */
export function zerosFor(column: string): string {
  return `format('%.*c', octet_length(${column}), '0')`;
}
