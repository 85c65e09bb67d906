import type { AuditEntry, AuditStore } from "@snap/engine/ports";
import type { Database } from "../database.ts";

interface AuditRow extends Omit<AuditEntry, "subjects"> {
  readonly subjects: string;
}

/** `append` is not retried after a lost connection, because the retry could append the entry twice. */
export function createAuditStore({ query, queryOnce }: Pick<Database, "query" | "queryOnce">): AuditStore {
  return {
    async append({ at, command, subjects, user, host }) {
      await queryOnce(
        `INSERT INTO snap.audit (at, command, subjects, "user", host) VALUES ($1, $2, $3, $4, $5)`,
        [at, command, JSON.stringify(subjects), user, host],
      );
    },
    async list({ since }) {
      const rows = await query<AuditRow>(
        `SELECT at, command, subjects, "user", host FROM snap.audit WHERE at >= $1 ORDER BY at, sequence`,
        [since],
      );
      return rows.map(toEntry);
    },
    async prune({ before, limit }) {
      const pruned = await query(
        `DELETE FROM snap.audit WHERE sequence IN (
           SELECT sequence FROM snap.audit WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
         ) RETURNING sequence`,
        [before, limit],
      );
      return pruned.length;
    },
  };
}

function toEntry({ subjects, ...rest }: AuditRow): AuditEntry {
  return { ...rest, subjects: JSON.parse(subjects) as string[] };
}
