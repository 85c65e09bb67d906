import type { Clock } from "../ports/clock.ts";
import type { Ledger } from "../ports/ledger.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** A ledger that fails for a day needs an operator, who finds the reservation ids in the log. */
const GIVE_UP_AFTER_MS = 24 * 60 * 60_000;
const MAX_PENDING = 10_000;
/** Orchestrators kill a process that takes too long to stop. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Reverses the charges of failed requests, in the background. */
export interface Reversals {
  /** Reverses the reservation as soon as the ledger responds. */
  add(reservationId: string): void;
  /** Makes a last attempt at each pending reversal, within 5 s. */
  close(): Promise<void>;
}

/**
 * Pending reversals are in memory. One that is given up, because it is a day old, too many are pending, or the
 * engine closes, is reported to `onBackgroundError` with its reservation id.
 */
export function createReversals({
  ledger,
  clock,
  onBackgroundError,
}: {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly onBackgroundError: (error: unknown) => void;
}): Reversals {
  /** Since when each reservation is pending, by its id. */
  const pending = new Map<string, number>();
  let pauseMs = FIRST_PAUSE_MS;
  let isScheduled = false;
  let isClosed = false;
  let callOff = (): void => {};

  const giveUp = (reservationId: string, cause?: unknown): void => {
    pending.delete(reservationId);
    const message = `reservation ${reservationId} may still be charged, although its request failed`;
    onBackgroundError(new Error(message, { cause }));
  };

  const reverse = async (reservationId: string): Promise<void> => {
    await ledger.reverse({ reservationId, now: clock.now() });
    pending.delete(reservationId);
  };

  /** One at a time, up to the first failure: while the ledger is down, each round costs it one call. */
  const reverseAll = async (): Promise<void> => {
    for (const [reservationId, since] of pending) {
      try {
        await reverse(reservationId);
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (isClosed) return;
        // To the end of the queue, in case it is the only one that fails.
        pending.delete(reservationId);
        pending.set(reservationId, since);
        giveUpOldest(error);
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        break;
      }
      if (isClosed) return;
    }
    isScheduled = false;
    if (pending.size > 0) schedule();
  };

  const giveUpOldest = (cause: unknown): void => {
    const oldest = clock.now() - GIVE_UP_AFTER_MS;
    for (const [reservationId, since] of pending) if (since <= oldest) giveUp(reservationId, cause);
  };

  const schedule = (): void => {
    isScheduled = true;
    callOff = clock.after(pauseMs, () => void reverseAll());
  };

  return {
    add(reservationId) {
      if (isClosed || pending.size >= MAX_PENDING) return giveUp(reservationId);
      pending.set(reservationId, clock.now());
      if (isScheduled) return;
      pauseMs = FIRST_PAUSE_MS;
      schedule();
    },
    async close() {
      isClosed = true;
      callOff();
      const attempts = [...pending.keys()].map((reservationId) =>
        reverse(reservationId).catch((error: unknown) => {
          // After the timeout it has been reported already.
          if (pending.has(reservationId)) giveUp(reservationId, error);
        }),
      );
      await Promise.race([
        Promise.all(attempts),
        new Promise<void>((resolve) => void (callOff = clock.after(CLOSE_TIMEOUT_MS, resolve))),
      ]);
      callOff();
      for (const reservationId of pending.keys()) giveUp(reservationId);
    },
  };
}
