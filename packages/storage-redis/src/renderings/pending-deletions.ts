/** Maximum pending names: about 10 MB. */
const MAX_NAMES = 50_000;
const NAMES_PER_COMMAND = 1000;

/** Deletions that Redis missed. */
export interface PendingDeletions {
  /** Drops the oldest name if there are too many. */
  add(name: string): void;
  isEmpty(): boolean;
  /** Deletes up to 1,000 renderings with `deleteRenderings`; they stay pending if it rejects. */
  flush(deleteRenderings: (names: string[]) => Promise<unknown>): Promise<void>;
}

/**
 * Renderings that were deleted or replaced while Redis was unavailable may still be there when it is back, and would
 * otherwise be served again.
 */
export function createPendingDeletions(maxNames: number = MAX_NAMES): PendingDeletions {
  const pending = new Set<string>();
  return {
    add(name) {
      pending.add(name);
      const [oldest] = pending;
      if (pending.size > maxNames && oldest !== undefined) pending.delete(oldest);
    },
    isEmpty: () => pending.size === 0,
    async flush(deleteRenderings) {
      const names = Array.from(pending).slice(0, NAMES_PER_COMMAND);
      await deleteRenderings(names);
      for (const name of names) pending.delete(name);
    },
  };
}
