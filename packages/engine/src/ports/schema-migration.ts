/** A database migration to this release's schema. Older releases cannot open the database afterwards. */
export interface SchemaMigration {
  /** The database's schema version, at least 1. */
  readonly from: number;
  /** This release's schema version. */
  readonly to: number;
  /** Path of the copy that is made before the migration, or `null` if none is made. */
  readonly copy: string | null;
}

/**
 * Called before an existing database is migrated, not for a new one. If it throws, the database does not change.
 *
 * @param newestSealedSecret - The newest token's signing secret, as the engine encrypted it, for checking the secret
 * key; `null` if there are no tokens.
 */
export type BeforeMigration = (migration: SchemaMigration, newestSealedSecret: string | null) => void;
