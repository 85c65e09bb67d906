import type { AuditEntry, AuditStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";
import { durably } from "../transaction.ts";

interface AuditRow extends Omit<AuditEntry, "subjects"> {
  readonly subjects: string;
}

export function createAuditStore(database: DatabaseSync): AuditStore {
  const insert = prepare(
    database,
    `INSERT INTO audit (at, command, subjects, user, host) VALUES (:at, :command, :subjects, :user, :host)`,
  );
  const list = prepare<AuditRow>(
    database,
    "SELECT at, command, subjects, user, host FROM audit WHERE at >= :since ORDER BY at, sequence",
  );
  const prune = prepare(
    database,
    "DELETE FROM audit WHERE sequence IN (SELECT sequence FROM audit WHERE at < :before ORDER BY at LIMIT :limit)",
  );
  return {
    async append(entry) {
      const values = { ...entry, subjects: JSON.stringify(entry.subjects) };
      durably(database, () => insert.run(values));
    },
    async list({ since }) {
      return list.all({ since }).map(toEntry);
    },
    async prune({ before, limit }) {
      return Number(prune.run({ before, limit }).changes);
    },
  };
}

function toEntry({ subjects, ...rest }: AuditRow): AuditEntry {
  return { ...rest, subjects: JSON.parse(subjects) as string[] };
}
