/** A change of a database to the schema of this release. Older releases cannot open it afterwards. */
export interface SchemaMigration {
  /** Schema version of the database, at least 1. */
  readonly from: number;
  /** Schema version of this release. */
  readonly to: number;
  /** Path of the copy that is made first, or `null` if none is made. */
  readonly copy: string | null;
}

/**
 * Called before an existing database is migrated, not for a new one. If it throws, the database stays as it is.
 *
 * @param newestSealedSecret - The newest signing secret, as the engine encrypted it, to check the secret key with; `null`
 * without tokens.
 */
export type BeforeMigration = (migration: SchemaMigration, newestSealedSecret: string | null) => void;
