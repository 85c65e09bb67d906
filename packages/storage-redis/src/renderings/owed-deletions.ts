/** Keys that are remembered at most: some 10 MB. */
const MAX_KEYS = 50_000;
const PORTION = 1000;

/** Deletions that Redis missed. */
export interface OwedDeletions {
  /** With more than are remembered, the one that has been owed for longest is forgotten. */
  add(key: string): void;
  isEmpty(): boolean;
  /** Deletes some of them by `unlink`; what it rejects for is owed still. */
  carryOut(unlink: (keys: string[]) => Promise<unknown>): Promise<void>;
}

/**
 * What was deleted or replaced while Redis could not be used, or without an answer, may still be there when
 * it is back, and would be answered again.
 */
export function createOwedDeletions(maxKeys: number = MAX_KEYS): OwedDeletions {
  const owed = new Set<string>();
  return {
    add(key) {
      owed.add(key);
      const [oldest] = owed;
      if (owed.size > maxKeys && oldest !== undefined) owed.delete(oldest);
    },
    isEmpty: () => owed.size === 0,
    async carryOut(unlink) {
      const keys = Array.from(owed).slice(0, PORTION);
      await unlink(keys);
      for (const key of keys) owed.delete(key);
    },
  };
}
