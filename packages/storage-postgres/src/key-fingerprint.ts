import type { Database } from "./database.ts";

/** Records which secret key encrypts the signing secrets in a database. */
export interface KeyPin {
  /**
   * Returns whether the database is used with this key. The first call stores the fingerprint.
   *
   * @param fingerprint `keyFingerprint` of `@snap/engine`.
   */
  pinKeyFingerprint(fingerprint: string): Promise<boolean>;
  /** Replaces the stored fingerprint. */
  replaceKeyFingerprint(fingerprint: string): Promise<void>;
}

export async function pinKeyFingerprint({ query }: Database, fingerprint: string): Promise<boolean> {
  // the update changes nothing, but makes RETURNING include an existing row
  const [row] = await query<{ pinned: string }>(
    `INSERT INTO snap.key_mark AS existing (mark) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET mark = existing.mark RETURNING mark AS pinned`,
    [fingerprint],
  );
  return row?.pinned === fingerprint;
}

export async function replaceKeyFingerprint({ query }: Database, fingerprint: string): Promise<void> {
  await query(
    `INSERT INTO snap.key_mark (mark) VALUES ($1)
     ON CONFLICT (is_only) DO UPDATE SET mark = excluded.mark WHERE snap.key_mark.mark <> excluded.mark`,
    [fingerprint],
  );
}
