import type { HistoryStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { inChunks, prepareScan } from "../chunks.ts";
import { prepare } from "../prepare.ts";
import { transact } from "../transaction.ts";
import { zerosFor, type HistoryAccounts } from "./history-accounts.ts";
import type { HistorySlices } from "./history-slices.ts";
import type { UsageTotalsTable } from "./usage-totals.ts";

/** Entries scanned per transaction. Deleting all of them takes about ten milliseconds. */
const ENTRIES_PER_TRANSACTION = 250;
const TOTALS_PER_TRANSACTION = 500;
/**
 * Number of overwritten text rows to leave before the first entry: more than fit into the pages whose rows SQLite moves
 * when it deletes an adjacent row.
 */
const TEXT_ROWS_KEPT = 200;

export interface RemoverDependencies {
  readonly accounts: HistoryAccounts;
  readonly slices: HistorySlices;
  readonly totals: UsageTotalsTable;
}

interface RemovedEntry {
  readonly sequence: number;
}

/** Deletes entries. Overwrites their text in place, and deletes it only when it is the oldest. */
export function createHistoryRemover(
  database: DatabaseSync,
  { accounts, slices, totals }: RemoverDependencies,
): Pick<HistoryStore, "prune" | "deleteAccount"> {
  const removeOutdated = prepare<RemovedEntry>(
    database,
    `DELETE FROM history WHERE sequence IN
       (SELECT sequence FROM history WHERE at < :before ORDER BY at LIMIT :limit) RETURNING sequence`,
  );
  const removeByAccount = prepare<RemovedEntry>(
    database,
    `DELETE FROM history WHERE sequence > :start AND sequence <= :end AND account = :account RETURNING sequence`,
  );
  const eraseTexts = prepare(
    database,
    `UPDATE history_texts SET content = ${zerosFor("content")} WHERE sequence = :sequence`,
  );
  const trimTexts = prepare(
    database,
    `DELETE FROM history_texts WHERE sequence IN (
       SELECT sequence FROM history_texts WHERE sequence < (SELECT min(sequence) FROM history) - ${TEXT_ROWS_KEPT}
       ORDER BY sequence LIMIT :limit)`,
  );
  const scan = prepareScan(database, {
    table: "history",
    key: "sequence",
    start: 0,
    rowsPerTransaction: ENTRIES_PER_TRANSACTION,
  });
  const erase = (removed: readonly RemovedEntry[]): number => {
    for (const { sequence } of removed) eraseTexts.run({ sequence });
    return removed.length;
  };

  return {
    async prune({ before, beforeDay, limit }) {
      return transact(database, () => {
        const entries = erase(removeOutdated.all({ before, limit }));
        // more than this call overwrote, because the text rows of deleted accounts also remain
        trimTexts.run({ limit: 2 * limit });
        slices.prune();
        return entries + totals.prune({ beforeDay, limit });
      });
    },
    async deleteAccount({ accountId }) {
      const account = accounts.find(accountId);
      if (account === null) return 0;
      const deleted = await scan((range) =>
        transact(database, () => erase(removeByAccount.all({ ...range, account }))),
      );
      await inChunks(() => totals.removeSome({ account, limit: TOTALS_PER_TRANSACTION }));
      accounts.erase(account);
      return deleted;
    },
  };
}
