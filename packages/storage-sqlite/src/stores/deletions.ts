import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";

/** The accounts that are being deleted, or were deleted in the last day: nothing new is stored for them. */
export interface Deletions {
  /** Call this in the transaction that stores something, so no deletion can start in between. */
  includes(accountId: string): boolean;
  add(accountId: string, deletedAt: number): void;
  /** Forgets at most `limit` deletions that ended before `before`; returns their number. */
  prune(request: { readonly before: number; readonly limit: number }): number;
}

export function createDeletions(database: DatabaseSync): Deletions {
  const find = prepare(database, "SELECT 1 FROM deletions WHERE digest = :digest");
  const add = prepare(
    database,
    `INSERT INTO deletions (digest, deleted_at) VALUES (:digest, :deletedAt)
     ON CONFLICT (digest) DO UPDATE SET deleted_at = excluded.deleted_at`,
  );
  const prune = prepare(
    database,
    `DELETE FROM deletions WHERE digest IN (
       SELECT digest FROM deletions
       WHERE deleted_at < :before AND digest NOT IN (SELECT value FROM json_each(:unfinished)) LIMIT :limit)`,
  );
  const findDue = prepare(database, "SELECT 1 FROM deletions WHERE deleted_at < :before LIMIT 1");
  const findUnfinished = prepare<{ id: string }>(
    database,
    "SELECT id FROM accounts WHERE deletion_started_at IS NOT NULL",
  );
  return {
    includes: (accountId) => find.get({ digest: accountDigest(accountId) }) !== undefined,
    add: (accountId, deletedAt) => void add.run({ digest: accountDigest(accountId), deletedAt }),
    prune(request) {
      // reading all accounts is slow
      if (findDue.get({ before: request.before }) === undefined) return 0;
      const unfinished = findUnfinished.all().map(({ id }) => accountDigest(id));
      return Number(prune.run({ ...request, unfinished: JSON.stringify(unfinished) }).changes);
    },
  };
}

/** Identifies a deleted account in the table `deletions`, without storing its id. */
export function accountDigest(accountId: string): string {
  return createHash("sha256").update(accountId).digest("hex");
}
