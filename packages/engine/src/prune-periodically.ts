import { AUDIT_RETENTION_MS } from "./audit/audit.ts";
import type { Clock } from "./ports/clock.ts";
import type { Storage } from "./ports/storage.ts";

/** One at a time: every request waits while the embedded storage deletes a large row. */
const PRUNE_LIMIT = 1;
const PRUNE_INTERVAL_MS = 60_000;
/** Pause between deletions, in which requests are served: 200 deletions a second are more than a machine renders. */
const PRUNE_NEXT_MS = 5;

/** Deletes expired renderings, batches and lines of the audit in the background until the returned function is called. */
export function prunePeriodically(options: {
  readonly storage: Pick<Storage, "renderings" | "batches" | "audit">;
  readonly clock: Clock;
  readonly onBackgroundError: (error: unknown) => void;
}): () => void {
  const { storage, clock, onBackgroundError } = options;
  let cancel = (): void => {};
  let isStopped = false;
  const prune = async (): Promise<void> => {
    let hasMore = false;
    for (const store of [storage.renderings, storage.batches, storage.audit]) {
      try {
        const now = clock.now();
        const pruned = await store.prune({ now, before: now - AUDIT_RETENTION_MS, limit: PRUNE_LIMIT });
        hasMore ||= pruned === PRUNE_LIMIT;
      } catch (error) {
        onBackgroundError(error);
      }
    }
    schedule(hasMore ? PRUNE_NEXT_MS : PRUNE_INTERVAL_MS);
  };
  const schedule = (delayMs: number): void => {
    if (!isStopped) cancel = clock.after(delayMs, () => void prune());
  };
  schedule(PRUNE_INTERVAL_MS);
  return () => {
    isStopped = true;
    cancel();
  };
}
