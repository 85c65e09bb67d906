import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** A prepared statement with typed rows. */
export interface Statement<Row> {
  /**
   * Stops at the first row. A write outside a transaction must use `all`: it is committed after its last row, and `get`
   * does not report that the commit failed.
   */
  get(values?: Record<string, SQLInputValue>): Row | undefined;
  all(values?: Record<string, SQLInputValue>): Row[];
  run(values?: Record<string, SQLInputValue>): { readonly changes: number | bigint };
}

/** A faster prepared statement for hot paths: positional values, and rows as arrays. */
export interface ArrayStatement<Row extends readonly unknown[]> {
  get(...values: SQLInputValue[]): Row | undefined;
  run(...values: SQLInputValue[]): { readonly changes: number | bigint };
}

export function prepareArrays<Row extends readonly unknown[]>(
  database: DatabaseSync,
  sql: string,
): ArrayStatement<Row> {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as ArrayStatement<Row>;
}

/** Copies a row into a plain object: the driver's rows have no prototype. */
export function copyRow<Row extends object>(row: Row): Row {
  return { ...row };
}

export function prepare<Row = never>(database: DatabaseSync, sql: string): Statement<Row> {
  return database.prepare(sql) as unknown as Statement<Row>;
}
