import type { RateLimiter } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";
import { accountDigest } from "./deletions.ts";

export function createRateLimiter(database: DatabaseSync): RateLimiter {
  // a single statement is atomic; it returns a row only if the request is allowed
  const consume = prepare<{ spent: number; resetsAt: number }>(
    database,
    `INSERT INTO budgets (account_id, budget, spent, resets_at)
     SELECT :accountId, :budget, 1, :now + :windowMs
     WHERE :limit > 0 AND NOT EXISTS (SELECT 1 FROM deletions WHERE digest = :digest)
     ON CONFLICT (account_id, budget) DO UPDATE SET
       spent = iif(resets_at > :now, spent + 1, 1),
       resets_at = iif(resets_at > :now, min(resets_at, excluded.resets_at), excluded.resets_at)
     WHERE resets_at <= :now OR spent < :limit
     RETURNING spent, resets_at AS resetsAt`,
  );
  /** For rejected requests: otherwise, after the clock is set back, the window would end much too late. */
  const shorten = prepare(
    database,
    `UPDATE budgets SET resets_at = :now + :windowMs
     WHERE account_id = :accountId AND budget = :budget AND resets_at > :now + :windowMs`,
  );
  const findOpen = prepare<{ resetsAt: number }>(
    database,
    `SELECT resets_at AS resetsAt FROM budgets
     WHERE account_id = :accountId AND budget = :budget AND resets_at > :now`,
  );

  const removeAll = prepare(database, "DELETE FROM budgets WHERE account_id = :accountId");

  return {
    async consume({ accountId, name, limit, windowMs, now }) {
      // not get(), which stops at the first row and does not report a failed commit. SQLite also checkpoints its log
      // only after a completed write, so the log would grow without bound.
      const [window] = consume.all({
        accountId,
        digest: accountDigest(accountId),
        budget: name,
        limit,
        windowMs,
        now,
      });
      if (window !== undefined)
        return { allowed: true, remaining: limit - window.spent, resetsAt: window.resetsAt };
      const endsAt = findOpen.get({ accountId, budget: name, now })?.resetsAt ?? now + windowMs;
      if (endsAt > now + windowMs) shorten.run({ accountId, budget: name, now, windowMs });
      return { allowed: false, remaining: 0, resetsAt: Math.min(endsAt, now + windowMs) };
    },
    async deleteAccount(account) {
      removeAll.run(account);
    },
  };
}
