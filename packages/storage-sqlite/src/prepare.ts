import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A prepared statement whose rows have the type that stands beside its text. */
export interface Statement<Row> {
  get(values?: Record<string, SQLInputValue>): Row | undefined;
  all(values?: Record<string, SQLInputValue>): Row[];
  run(values?: Record<string, SQLInputValue>): { readonly changes: number | bigint };
}

export function prepare<Row = never>(database: DatabaseSync, sql: string): Statement<Row> {
  return database.prepare(sql) as unknown as Statement<Row>;
}
