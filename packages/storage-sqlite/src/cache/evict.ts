import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";
import { transact } from "../transaction.ts";

export interface EvictRequest {
  /** Stops once all renderings together have at most this size. */
  readonly maxBytes: number;
  /** Stops after this many evictions. */
  readonly limit: number;
  /** The size of the renderings that are about to be stored, by account. */
  readonly pending?: ReadonlyMap<string, number>;
}

/** An evicted row. */
export interface EvictedRow {
  readonly id: number;
  readonly accountId: string;
  readonly bytes: number;
}

export interface Evictor {
  /** Returns the total size of the renderings, as counted against the quota. */
  cachedBytes(): number;
  /**
   * Evicts rows in one transaction, by the rule in `RenderingStore`; stops if only a pending rendering could be next.
   */
  evict(request: EvictRequest): readonly EvictedRow[];
}

export function createEvictor(database: DatabaseSync): Evictor {
  const findTotal = prepare<{ bytes: number }>(database, "SELECT bytes FROM cache_total WHERE id = 1");
  const findLargest = prepare<{ accountId: string; bytes: number }>(
    database,
    "SELECT account_id AS accountId, bytes FROM cache_accounts ORDER BY bytes DESC LIMIT 1",
  );
  const findAccount = prepare<{ bytes: number }>(
    database,
    "SELECT bytes FROM cache_accounts WHERE account_id = :accountId",
  );
  const findOldest = prepare<{ id: number; bytes: number }>(
    database,
    `SELECT id, bytes FROM rendering_sizes
     WHERE id = (SELECT rowid FROM renderings WHERE account_id = :accountId ORDER BY stored_at, rowid LIMIT 1)`,
  );
  const remove = prepare(database, "DELETE FROM renderings WHERE rowid = :id");

  const cachedBytes = (): number => findTotal.get()?.bytes ?? 0;
  /** Returns the oldest row of the account with the most bytes. */
  const findVictim = (pending: ReadonlyMap<string, number>): EvictedRow | null => {
    let largest = findLargest.get();
    for (const [accountId, pendingBytes] of pending) {
      const bytes = pendingBytes + (findAccount.get({ accountId })?.bytes ?? 0);
      if (largest === undefined || bytes >= largest.bytes) largest = { accountId, bytes };
    }
    if (largest === undefined) return null;
    const { accountId } = largest;
    const row = findOldest.get({ accountId });
    return row === undefined ? null : { ...row, accountId };
  };
  return {
    cachedBytes,
    evict({ maxBytes, limit, pending = new Map() }) {
      return transact(database, () => {
        const evicted: EvictedRow[] = [];
        while (evicted.length < limit && cachedBytes() > maxBytes) {
          const victim = findVictim(pending);
          if (victim === null) break;
          remove.run({ id: victim.id });
          evicted.push(victim);
        }
        return evicted;
      });
    },
  };
}
