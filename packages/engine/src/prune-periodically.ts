import { AUDIT_RETENTION_MS } from "./audit/audit.ts";
import { reservationIdAt } from "./credits/reservation.ts";
import type { EngineSettings } from "./engine-options.ts";
import type { PruneRequest } from "./ports/ledger.ts";

/** One at a time: every request waits while the embedded storage deletes a large row. */
const PRUNE_LIMIT = 1;
/** For each kind of ledger record. They are small: deleting them takes about a millisecond. */
const PRUNE_LEDGER_LIMIT = 50;
const PRUNE_INTERVAL_MS = 60_000;
/** Pause between deletions, in which requests are served: 200 deletions a second are more than a machine renders. */
const PRUNE_NEXT_MS = 5;

const DAY_MS = 24 * 60 * 60_000;
/** The longest period; its balance starts with it. */
const MONTH_MS = 31 * DAY_MS;
/** A charge is reversed within a day, and a customer may ask about it for a month. */
const RESERVATION_RETENTION_MS = 35 * DAY_MS;
/** Longer than any request that was in flight during the deletion. */
const DELETION_RETENTION_MS = DAY_MS;

export type PruneOptions = Pick<
  EngineSettings,
  "storage" | "clock" | "journalRetentionMs" | "reservationLeaseMs" | "onBackgroundError"
>;

/** Deletes what is outdated in the background, until the returned function is called (docs/explanation/retention.md). */
export function prunePeriodically(options: PruneOptions): () => void {
  const { storage, clock, onBackgroundError } = options;
  const { renderings, batches, documents, accounts, ledger, audit } = storage;
  const limit = PRUNE_LIMIT;
  /** Each returns how many records it deleted. */
  const steps: readonly ((now: number) => Promise<number>)[] = [
    (now) => renderings.prune({ now, limit }),
    (now) => batches.prune({ now, limit }),
    (now) => documents.prune({ now, limit }),
    (now) => accounts.prune({ before: now - DELETION_RETENTION_MS, limit }),
    (now) => ledger.prune({ ...outdatedAt(now, options), now, limit: PRUNE_LEDGER_LIMIT }),
    (now) => audit.prune({ before: now - AUDIT_RETENTION_MS, limit }),
  ];
  let cancel = (): void => {};
  let isStopped = false;
  const prune = async (): Promise<void> => {
    let hasMore = false;
    for (const step of steps) {
      try {
        hasMore = (await step(clock.now())) > 0 || hasMore;
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

/** A reservation is resolved by the end of its lease, and a period ends within a month of its start. */
function outdatedAt(
  now: number,
  { journalRetentionMs, reservationLeaseMs }: PruneOptions,
): Pick<PruneRequest, "reservationsBefore" | "periodsBefore"> {
  return {
    reservationsBefore: reservationIdAt(now - RESERVATION_RETENTION_MS - reservationLeaseMs),
    periodsBefore: journalRetentionMs === null ? null : now - journalRetentionMs - MONTH_MS,
  };
}
