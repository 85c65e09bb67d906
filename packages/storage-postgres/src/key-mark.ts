import type { Database } from "./database.ts";

/** A database whose signing secrets are encrypted with one secret key. */
export interface KeyMarked {
  /**
   * Returns whether the mark is that of the key in use. The first mark that is claimed is stored.
   *
   * @param mark `keyFingerprint` of `@snap/engine`.
   */
  claimKeyMark(mark: string): Promise<boolean>;
}

export async function claimKeyMark({ query }: Database, mark: string): Promise<boolean> {
  // the update changes nothing, but makes RETURNING include an existing row
  const [row] = await query<{ mark: string }>(
    `INSERT INTO snap.key_mark AS kept (mark) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET mark = kept.mark RETURNING mark`,
    [mark],
  );
  return row?.mark === mark;
}
