import { AUDIT_RETENTION_MS } from "./audit/audit.ts";
import { DAY_MS, dayOf } from "./days.ts";
import type { EngineSettings } from "./engine-options.ts";
import { HISTORY_RETENTION_MAX_MS, HISTORY_TOTALS_RETENTION_MS } from "./history/history.ts";
import { idPrefixAt } from "./ids.ts";
import type { PruneRequest } from "./ports/ledger.ts";

/** Large rows are deleted one at a time, because every request waits while the embedded storage deletes one. */
const PRUNE_LIMIT = 1;
/** Limit for each kind of ledger record, and for the history. Deleting such small rows takes about a millisecond. */
const PRUNE_SMALL_LIMIT = 50;
const PRUNE_INTERVAL_MS = 60_000;
/** Pause between rounds, in which requests are served. Short enough to delete records faster than renders add them. */
const PRUNE_PAUSE_MS = 5;

/** The longest period. */
const MONTH_MS = 31 * DAY_MS;
/** A charge is reversed within a day, and customers can ask about it for a month. */
export const RESERVATION_RETENTION_MS = 35 * DAY_MS;
/** Longer than any request that is in flight during a deletion can take. */
const DELETION_RETENTION_MS = DAY_MS;

export type PruneOptions = Pick<
  EngineSettings,
  | "storage"
  | "clock"
  | "historyRetentionMs"
  | "journalRetentionMs"
  | "reservationLeaseMs"
  | "onBackgroundError"
>;

/**
 * Deletes expired records in the background, until the returned function is called (docs/explanation/retention.md). Its
 * promise resolves when the running deletion has ended.
 */
export function prunePeriodically(options: PruneOptions): () => Promise<void> {
  const { storage, clock, onBackgroundError } = options;
  const { renderings, batches, documents, accounts, ledger, audit, history, signIns } = storage;
  const limit = PRUNE_LIMIT;
  /** Each returns the number of records that it deleted. */
  const steps: readonly ((now: number) => Promise<number>)[] = [
    (now) => renderings.prune({ now, limit }),
    (now) => batches.prune({ now, limit }),
    // a render can read a document that expired after its start, and ends before its reservation
    // lapses
    (now) => documents.prune({ now: now - options.reservationLeaseMs, limit }),
    (now) => accounts.prune({ before: now - DELETION_RETENTION_MS, limit }),
    (now) => ledger.prune({ ...ledgerPruneBounds(now, options), now, limit: PRUNE_SMALL_LIMIT }),
    (now) => audit.prune({ before: now - AUDIT_RETENTION_MS, limit }),
    (now) => history.prune({ ...historyPruneBounds(now, options), limit: PRUNE_SMALL_LIMIT }),
    (now) => signIns.prune({ now, limit }),
  ];
  /**
   * Earliest retry of each step that failed. Rounds repeat sooner while any step has more to
   * delete.
   */
  const retryAt = new Map<(typeof steps)[number], number>();
  let cancel = (): void => {};
  let isStopped = false;
  let pruning: Promise<void> = Promise.resolve();
  const prune = async (): Promise<void> => {
    let hasMore = false;
    for (const step of steps) {
      if (isStopped) return;
      if (clock.now() < (retryAt.get(step) ?? 0)) continue;
      try {
        hasMore = (await step(clock.now())) > 0 || hasMore;
      } catch (error) {
        retryAt.set(step, clock.now() + PRUNE_INTERVAL_MS);
        onBackgroundError(error);
      }
    }
    schedule(hasMore ? PRUNE_PAUSE_MS : PRUNE_INTERVAL_MS);
  };
  const schedule = (delayMs: number): void => {
    if (isStopped) return;
    cancel = clock.after(delayMs, () => {
      pruning = prune();
    });
  };
  schedule(PRUNE_INTERVAL_MS);
  return async () => {
    isStopped = true;
    cancel();
    await pruning;
  };
}

/** Without a history, deletes only entries past the longest retention: other engines may use the same storage. */
function historyPruneBounds(
  now: number,
  { historyRetentionMs }: PruneOptions,
): { readonly before: number; readonly beforeDay: string } {
  return {
    before: now - (historyRetentionMs ?? HISTORY_RETENTION_MAX_MS),
    beforeDay: dayOf(now - HISTORY_TOTALS_RETENTION_MS),
  };
}

/**
 * A reservation is resolved or lapses within `reservationLeaseMs`, and a period ends within a month
 * of its start.
 */
function ledgerPruneBounds(
  now: number,
  { journalRetentionMs, reservationLeaseMs }: PruneOptions,
): Pick<PruneRequest, "reservationsBefore" | "periodsBefore"> {
  return {
    reservationsBefore: idPrefixAt(now - RESERVATION_RETENTION_MS - reservationLeaseMs),
    periodsBefore: journalRetentionMs === null ? null : now - journalRetentionMs - MONTH_MS,
  };
}
