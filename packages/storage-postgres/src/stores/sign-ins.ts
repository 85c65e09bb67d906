import type { SignInStore } from "@snap/engine/ports";
import { isStorable, type Database } from "../database.ts";

export function createSignInStore({ query, queryOnce }: Pick<Database, "query" | "queryOnce">): SignInStore {
  return {
    async insert({ kind, hash, expiresAt }) {
      await queryOnce("INSERT INTO snap.sign_ins (kind, hash, expires_at) VALUES ($1, $2, $3)", [
        kind,
        hash,
        expiresAt,
      ]);
    },
    async find({ kind, hash, now }) {
      if (!isStorable(hash)) return null;
      const [row] = await query<{ expiresAt: number }>(
        `SELECT expires_at AS "expiresAt" FROM snap.sign_ins WHERE kind = $1 AND hash = $2 AND expires_at > $3`,
        [kind, hash, now],
      );
      return row?.expiresAt ?? null;
    },
    // not retried after a lost connection, because the retry would return `false` if the first try succeeded
    async take({ kind, hash, now }) {
      if (!isStorable(hash)) return false;
      const [taken] = await queryOnce<{ expiresAt: number }>(
        `DELETE FROM snap.sign_ins WHERE kind = $1 AND hash = $2 RETURNING expires_at AS "expiresAt"`,
        [kind, hash],
      );
      return taken !== undefined && taken.expiresAt > now;
    },
    // not retried either: the retry would return 0
    async clear() {
      return (await queryOnce("DELETE FROM snap.sign_ins RETURNING 1", [])).length;
    },
    async prune({ now, limit }) {
      const pruned = await query(
        `DELETE FROM snap.sign_ins WHERE (kind, hash) IN (
           SELECT kind, hash FROM snap.sign_ins WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
           FOR UPDATE SKIP LOCKED
         ) RETURNING 1`,
        [now, limit],
      );
      return pruned.length;
    },
  };
}
