import type { Clock } from "../ports/clock.ts";
import type { HistoryEntry, HistoryStore } from "../ports/history.ts";
import type { Random } from "../ports/random.ts";
import { DailyTotals } from "./daily-totals.ts";
import { toHistoryEntry, type FinishedCapture } from "./entry.ts";

/** Delay between recording a capture and writing it, outside of requests. */
const WRITE_DELAY_MS = 1000;
/** Maximum number of entries, and of totals, per append. */
const APPEND_LIMIT = 500;
/** Maximum number of buffered entries, and of buffered totals. */
const BUFFER_LIMIT = 10_000;
/** Credits do not limit free captures, so at most this many hits, and this many failures, are listed per second. */
const FREE_ENTRIES_PER_SECOND = 50;
/** The same for one account, so it cannot hide the captures of all others. */
const FREE_ENTRIES_PER_ACCOUNT_PER_SECOND = FREE_ENTRIES_PER_SECOND / 2;

/** Records finished captures without delaying them. A failure to record never fails a capture. */
export interface HistoryRecorder {
  record(finished: FinishedCapture): void;
  /** Writes everything that is still buffered. */
  close(): Promise<void>;
}

export interface RecorderOptions {
  readonly store: Pick<HistoryStore, "append">;
  readonly clock: Clock;
  readonly random: Random;
  readonly onBackgroundError: (error: unknown) => void;
}

/** Records nothing. */
export const NO_RECORDER: HistoryRecorder = { record() {}, async close() {} };

/**
 * Writes once a second while anything is buffered. Drops whatever it fails to write, because appends must not be
 * retried. Reports consecutive failures once.
 */
export function createRecorder({
  store,
  clock,
  random,
  onBackgroundError,
}: RecorderOptions): HistoryRecorder {
  const entries: HistoryEntry[] = [];
  const totals = new DailyTotals();
  const isListed = createEntryLimiter();
  let isScheduled = false;
  let cancel = (): void => {};
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;
  let hasOverflowed = false;

  const isEmpty = (): boolean => entries.length === 0 && totals.size === 0;

  const write = async (): Promise<void> => {
    try {
      await store.append({ entries: entries.splice(0, APPEND_LIMIT), totals: totals.take(APPEND_LIMIT) });
      hasFailed = false;
      hasOverflowed = false;
    } catch (error) {
      if (!hasFailed) onBackgroundError(error);
      hasFailed = true;
    }
  };
  const writeNext = async (): Promise<void> => {
    await write();
    isScheduled = false;
    if (!isEmpty()) schedule();
  };
  const schedule = (): void => {
    if (isScheduled) return;
    isScheduled = true;
    cancel = clock.after(WRITE_DELAY_MS, () => {
      writing = writeNext();
    });
  };
  const dropOldest = (): void => {
    if (entries.length <= BUFFER_LIMIT && totals.size <= BUFFER_LIMIT) return;
    if (entries.length > BUFFER_LIMIT) entries.shift();
    if (totals.size > BUFFER_LIMIT) totals.take(1);
    if (!hasOverflowed)
      onBackgroundError(new Error("The history cannot be written fast enough; dropping the oldest entries."));
    hasOverflowed = true;
  };

  return {
    record(finished) {
      try {
        totals.add(finished);
        if (isListed(finished)) entries.push(toHistoryEntry(finished, random));
        dropOldest();
        schedule();
      } catch (error) {
        onBackgroundError(error);
      }
    },
    async close() {
      await writing;
      cancel();
      while (!isEmpty()) await write();
    },
  };
}

/** The returned function decides whether to list a capture or only count it: it limits hits and failures per second. */
function createEntryLimiter(): (finished: FinishedCapture) => boolean {
  let second = 0;
  /** Number of captures listed in this second, by kind, and by kind and account. */
  const counts = new Map<string, number>();
  return ({ at, cache, accountId }) => {
    if (cache !== null && cache !== "hit") return true;
    const now = Math.floor(at / 1000);
    if (now !== second) counts.clear();
    second = now;
    const kind = cache ?? "failure";
    const ofAccount = `${kind} ${accountId}`;
    const [count, own] = [counts.get(kind) ?? 0, counts.get(ofAccount) ?? 0];
    if (count >= FREE_ENTRIES_PER_SECOND || own >= FREE_ENTRIES_PER_ACCOUNT_PER_SECOND) return false;
    counts.set(kind, count + 1).set(ofAccount, own + 1);
    return true;
  };
}
