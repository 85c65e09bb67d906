import type { DatabaseSync } from "node:sqlite";

/** Enough to need room of its own on the disk, little enough to be asked for every second. */
const FILLER_BYTES = 64 * 1024;

/**
 * A check that really writes. Both statements commit: what is rolled back never reaches the disk,
 * and a row updated in place needs no room, so neither would notice that the disk is full.
 */
export function createWriteCheck(database: DatabaseSync): () => Promise<void> {
  const fill = database.prepare(
    `INSERT OR REPLACE INTO write_checks (id, filler) VALUES (1, zeroblob(${FILLER_BYTES}))`,
  );
  const empty = database.prepare("DELETE FROM write_checks");
  // A damaged file may still take a write in a sound place.
  const reads = ["accounts", "tokens", "balances", "renderings", "batches", "batch_items"].map((table) =>
    database.prepare(`SELECT 1 FROM ${table} LIMIT 1`),
  );
  return async () => {
    fill.run();
    empty.run();
    for (const read of reads) read.get();
  };
}
