import type { PoolMode } from "@snap/storage-postgres";

/** Describes a connection pooler in front of PostgreSQL. The advice is `null` if nothing is restricted. */
export function describePooler(mode: PoolMode): { readonly message: string; readonly advice: string | null } {
  if (mode === "session")
    return { message: "PostgreSQL is behind a connection pooler in session mode", advice: null };
  return {
    message:
      "PostgreSQL is behind a connection pooler in transaction mode: workers are not notified of new batches, and look " +
      "for them twice a second",
    advice:
      "this is safe; to have workers notified, set their SNAP_DATABASE_URL to PostgreSQL itself, or to a pool in session mode",
  };
}
