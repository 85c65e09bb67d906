import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";

/** Limits a slice to a few dozen pages of an index. */
const ENTRIES_PER_SLICE = 4096;

/**
 * Divides time into slices for the indexes. Each slice starts at an instant and ends where the next one starts.
 * Indexes on columns with many values start with the slice, so an append changes the pages of one slice rather than a
 * page per entry.
 */
export interface HistorySlices {
  /** Returns a function from instants to slices, for entries that this transaction is about to store. */
  assign(entries: readonly { readonly at: number }[]): (at: number) => number;
  /** Deletes the slices before the first entry. */
  prune(): void;
}

interface Slice {
  readonly start: number;
  readonly entries: number;
}

export function createHistorySlices(database: DatabaseSync): HistorySlices {
  const findLatest = prepare<Slice>(
    database,
    "SELECT start, entries FROM history_slices WHERE start = (SELECT max(start) FROM history_slices)",
  );
  // starts after the newest entry; and after the latest slice, even if that has no entries left
  const begin = prepare<Slice>(
    database,
    `INSERT INTO history_slices (start, entries)
     SELECT max(coalesce(max(at), :start), :start) + 1, 0 FROM history RETURNING start, entries`,
  );
  const count = prepare(
    database,
    "UPDATE history_slices SET entries = entries + :added WHERE start = :start",
  );
  const find = prepare<{ start: number }>(
    database,
    "SELECT max(start) AS start FROM history_slices WHERE start <= :at",
  );
  // never deletes the first slice, which has no lower bound, because entries can arrive late
  const prune = prepare(
    database,
    `DELETE FROM history_slices WHERE start > ${Number.MIN_SAFE_INTEGER}
       AND start < (SELECT max(start) FROM history_slices WHERE start <= (SELECT min(at) FROM history))`,
  );
  return {
    assign(entries) {
      // the migration inserts the first slice
      let latest = findLatest.get() as Slice;
      // an insert that does not throw returns its row
      if (latest.entries >= ENTRIES_PER_SLICE) latest = begin.get({ start: latest.start }) as Slice;
      const { start } = latest;
      count.run({ start, added: entries.filter(({ at }) => at >= start).length });
      return (at) => (at >= start ? start : (find.get({ at }) as { start: number }).start);
    },
    prune: () => void prune.run(),
  };
}
