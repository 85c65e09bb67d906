import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";

/** Returns when the last backup was made; `null` before the first. */
export function readLastBackup(database: DatabaseSync): number | null {
  return prepare<{ madeAt: number }>(database, "SELECT made_at AS madeAt FROM backups").get()?.madeAt ?? null;
}

export function writeLastBackup(database: DatabaseSync, madeAt: number): void {
  prepare(database, "INSERT OR REPLACE INTO backups (id, made_at) VALUES (1, :madeAt)").run({ madeAt });
}
