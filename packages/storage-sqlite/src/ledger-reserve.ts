import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { isBusy, isDiskFull } from "./faults.ts";
import { prepare } from "./prepare.ts";
import { withoutOverwriting } from "./transaction.ts";

/** Free pages for about 10,000 renders, and a log 1.5 times as large as the one that SQLite checkpoints automatically. */
export const RESERVE_BYTES = 6 * 1024 * 1024;
/** The reserve is renewed only below this size, because renewing it blocks the event loop for 30 ms. */
const RENEW_BELOW_BYTES = 4.5 * 1024 * 1024;
/** With less free disk space, a renewal might leave pages in the log that do not fit into the file. */
const FREE_MIN_BYTES = 3 * RESERVE_BYTES;

/**
 * Space that already belongs to the database, so it can keep writing while the disk is full: free pages in the file, and
 * a write-ahead log of the same size, which SQLite overwrites from its start.
 */
export interface LedgerReserve {
  /** If much of the space was used up and the disk has room, restores it, which writes 12 MiB. */
  renew(): void;
  /** Returns whether the disk is so full that only the reserve may be left. */
  isDiskLow(): boolean;
}

export function createLedgerReserve(database: DatabaseSync, filename: string): LedgerReserve {
  const countFreePages = prepare<{ freelist_count: number }>(database, "PRAGMA freelist_count");
  const findPageSize = prepare<{ page_size: number }>(database, "PRAGMA page_size");
  const fill = prepare(
    database,
    `INSERT OR REPLACE INTO write_checks (id, filler) VALUES (2, zeroblob(${RESERVE_BYTES}))`,
  );
  const empty = prepare(database, "DELETE FROM write_checks WHERE id = 2");
  const freeBytes = (): number =>
    (countFreePages.get()?.freelist_count ?? 0) * (findPageSize.get()?.page_size ?? 0);
  const logBytes = (): number => statSync(`${filename}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const isDiskLow = (): boolean => {
    const { bavail, bsize } = statfsSync(dirname(filename));
    return bavail * bsize < FREE_MIN_BYTES;
  };
  return {
    isDiskLow,
    renew() {
      if (Math.min(freeBytes(), logBytes()) >= RENEW_BELOW_BYTES || isDiskLow()) return;
      try {
        fill.run();
        withoutOverwriting(database, () => empty.run());
      } catch (error) {
        // another process is writing, or the disk is full: the next try may succeed
        if (!isBusy(error) && !isDiskFull(error)) throw error;
      }
    },
  };
}
