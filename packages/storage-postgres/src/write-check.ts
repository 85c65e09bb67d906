import type { Database } from "./database.ts";

/** Enough to need room of its own on the disk, little enough to be asked for every second. */
const FILLER = "0".repeat(8 * 1024);

/** A check that really writes, and doesn't wait for a server that is away. */
export function createWriteCheck({ queryOnce }: Database): () => Promise<void> {
  return async () => {
    const [row] = await queryOnce<{ id: number }>(
      "INSERT INTO snap.write_checks (filler) VALUES ($1) RETURNING id",
      [FILLER],
    );
    await queryOnce("DELETE FROM snap.write_checks WHERE id = $1", [row?.id]);
  };
}
