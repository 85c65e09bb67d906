import type { Database } from "./database.ts";

/** Of a database whose signing secrets are sealed under one secret key. */
export interface KeyMarked {
  /**
   * Whether the mark is that of the key in use: the first to be claimed is kept.
   *
   * @param mark `markOfKey` of `@snap/engine`.
   */
  claimKeyMark(mark: string): Promise<boolean>;
}

export async function claimKeyMark({ query }: Database, mark: string): Promise<boolean> {
  // The update changes nothing; it makes the row that is there one that is answered.
  const [row] = await query<{ mark: string }>(
    `INSERT INTO snap.key_mark AS kept (mark) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET mark = kept.mark RETURNING mark`,
    [mark],
  );
  return row?.mark === mark;
}
