import type { BudgetStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";

export function createBudgetStore(database: DatabaseSync): BudgetStore {
  // One statement is atomic by itself; it answers a row only when the spend was allowed.
  const spend = prepare<{ spent: number; resetsAt: number }>(
    database,
    `INSERT INTO budgets (account_id, budget, spent, resets_at)
     SELECT :accountId, :budget, 1, :now + :windowMs WHERE :limit > 0
     ON CONFLICT (account_id, budget) DO UPDATE SET
       spent = iif(resets_at > :now, spent + 1, 1),
       resets_at = iif(resets_at > :now, resets_at, excluded.resets_at)
     WHERE resets_at <= :now OR spent < :limit
     RETURNING spent, resets_at AS resetsAt`,
  );
  const findOpen = prepare<{ resetsAt: number }>(
    database,
    `SELECT resets_at AS resetsAt FROM budgets
     WHERE account_id = :accountId AND budget = :budget AND resets_at > :now`,
  );

  return {
    async spend({ accountId, budget, limit, windowMs, now }) {
      // Not get(), which leaves the statement at its first row: SQLite looks whether to move the log into
      // the database behind a write that was stepped to its end only, and the log would grow for ever.
      const [window] = spend.all({ accountId, budget, limit, windowMs, now });
      if (window !== undefined)
        return { allowed: true, remaining: limit - window.spent, resetsAt: window.resetsAt };
      const resetsAt = findOpen.get({ accountId, budget, now })?.resetsAt ?? now + windowMs;
      return { allowed: false, remaining: 0, resetsAt };
    },
  };
}
