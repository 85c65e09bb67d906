import type { Account, AccountStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { eraseLog } from "../erase-log.ts";
import type { LedgerReserve } from "../ledger-reserve.ts";
import { prepare } from "../prepare.ts";
import { transactDurably } from "../transaction.ts";
import { ACCOUNT_COLUMNS, toAccount } from "./account-rows.ts";
import type { Deletions } from "./deletions.ts";

export interface RemoverDependencies {
  readonly deletions: Deletions;
  readonly ledgerReserve: LedgerReserve;
}

/** The first and the last step of a deletion. */
export function createAccountRemover(
  database: DatabaseSync,
  { deletions, ledgerReserve }: RemoverDependencies,
): Pick<AccountStore, "startDeletion" | "delete" | "prune"> {
  const start = prepare<Account>(
    database,
    `UPDATE accounts SET suspended_at = coalesce(suspended_at, :now),
       deletion_started_at = coalesce(deletion_started_at, :now)
     WHERE id = :id RETURNING ${ACCOUNT_COLUMNS}`,
  );
  const removeTokens = prepare(database, "DELETE FROM tokens WHERE account_id = :id");
  const remove = prepare(database, "DELETE FROM accounts WHERE id = :id");

  return {
    async startDeletion({ id, now }) {
      const startIt = (): Account | null => {
        const [account] = start.all({ id, now });
        if (account === undefined) return null;
        deletions.add(id, now);
        return toAccount(account);
      };
      return transactDurably(database, startIt);
    },
    async delete({ id, now }) {
      const removeRows = (): boolean => {
        removeTokens.run({ id });
        if (remove.run({ id }).changes === 0) return false;
        deletions.add(id, now);
        return true;
      };
      const existed = transactDurably(database, removeRows);
      await eraseLog(database, ledgerReserve);
      return existed;
    },
    prune: async (request) => deletions.prune(request),
  };
}
