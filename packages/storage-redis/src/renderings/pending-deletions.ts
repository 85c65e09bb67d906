/** Maximum pending keys: about 10 MB. */
const MAX_KEYS = 50_000;
const KEYS_PER_COMMAND = 1000;

/** Deletions that Redis missed. */
export interface PendingDeletions {
  /** Drops the oldest key if there are too many. */
  add(key: string): void;
  isEmpty(): boolean;
  /** Deletes some keys with `unlink`; they stay pending if it rejects. */
  flush(unlink: (keys: string[]) => Promise<unknown>): Promise<void>;
}

/**
 * Renderings that were deleted or replaced while Redis was unavailable may still be there when it is back, and would be
 * served again.
 */
export function createPendingDeletions(maxKeys: number = MAX_KEYS): PendingDeletions {
  const pending = new Set<string>();
  return {
    add(key) {
      pending.add(key);
      const [oldest] = pending;
      if (pending.size > maxKeys && oldest !== undefined) pending.delete(oldest);
    },
    isEmpty: () => pending.size === 0,
    async flush(unlink) {
      const keys = Array.from(pending).slice(0, KEYS_PER_COMMAND);
      await unlink(keys);
      for (const key of keys) pending.delete(key);
    },
  };
}
