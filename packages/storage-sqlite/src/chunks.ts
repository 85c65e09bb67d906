import type { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { prepare } from "./prepare.ts";

/** Lets other processes, and other work in this one, get the write lock. */
const PAUSE_MS = 1;

/** Repeats `deleteSome`, one transaction each, until it returns 0; returns the sum. */
export async function inChunks(deleteSome: () => number | Promise<number>): Promise<number> {
  for (let sum = 0; ;) {
    const deleted = await deleteSome();
    if (deleted === 0) return sum;
    sum += deleted;
    await wait(PAUSE_MS);
  }
}

/** The rows of a table whose keys are above `start`, up to and including `end`. */
export type KeyRange = Readonly<Record<"start" | "end", string | number>>;

/**
 * Returns a function that calls `work` for all rows of a table, range by range in the order of its key, and returns the sum
 * of the results.
 */
export function prepareScan(
  database: DatabaseSync,
  {
    table,
    key,
    start,
    rowsPerTransaction,
  }: {
    readonly table: string;
    readonly key: string;
    readonly start: string | number;
    readonly rowsPerTransaction: number;
  },
): (work: (range: KeyRange) => number) => Promise<number> {
  const findEnd = prepare<{ end: string | number | null; count: number }>(
    database,
    `SELECT max(${key}) AS end, count(*) AS count
     FROM (SELECT ${key} FROM ${table} WHERE ${key} > :start ORDER BY ${key} LIMIT ${rowsPerTransaction})`,
  );
  return async (work) => {
    let sum = 0;
    let position = start;
    await inChunks(() => {
      const { end = null, count = 0 } = findEnd.get({ start: position }) ?? {};
      if (end === null) return 0;
      sum += work({ start: position, end });
      position = end;
      return count;
    });
    return sum;
  };
}
