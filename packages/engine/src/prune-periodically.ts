import type { Clock } from "./ports/clock.ts";
import type { Storage } from "./ports/storage.ts";

/** Small portions, soon after one another while there is more: a large one would hold up requests. */
const PRUNE_PORTION = 100;
const PRUNE_INTERVAL_MS = 60_000;
const PRUNE_AGAIN_MS = 100;

/** Deletes what has expired, in the background, until the function returned is called. */
export function prunePeriodically(options: {
  readonly storage: Pick<Storage, "renderings" | "batches">;
  readonly clock: Clock;
  readonly onBackgroundError: (error: unknown) => void;
}): () => void {
  const { storage, clock, onBackgroundError } = options;
  let callOff = (): void => {};
  let stopped = false;
  const prune = async (): Promise<void> => {
    let isMore = false;
    for (const store of [storage.renderings, storage.batches]) {
      try {
        const pruned = await store.prune({ now: clock.now(), limit: PRUNE_PORTION });
        isMore ||= pruned === PRUNE_PORTION;
      } catch (error) {
        onBackgroundError(error);
      }
    }
    schedule(isMore ? PRUNE_AGAIN_MS : PRUNE_INTERVAL_MS);
  };
  const schedule = (delayMs: number): void => {
    if (!stopped) callOff = clock.after(delayMs, () => void prune());
  };
  schedule(PRUNE_INTERVAL_MS);
  return () => {
    stopped = true;
    callOff();
  };
}
