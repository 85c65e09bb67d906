import { DAY_MS } from "../days.ts";
import type { Clock } from "../ports/clock.ts";
import type { EngineEvent } from "../engine-event.ts";
import type { Ledger } from "../ports/ledger.ts";

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;
/** After a day of failures, the operator must act; the log contains the reservation ids. */
const GIVE_UP_AFTER_MS = DAY_MS;
const MAX_PENDING = 10_000;
/** Orchestrators kill a process that takes too long to stop. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Reverses the charges of failed requests, in the background. */
export interface Reversals {
  /** Reverses the reservation when the ledger is available again. */
  add(reservationId: string): void;
  /** Makes a last attempt at each pending reversal, within 5 s. */
  close(): Promise<void>;
}

/**
 * Pending reversals are in memory. A reversal is abandoned if it still fails after a day or when the engine closes, or
 * if too many are pending; `onBackgroundError` then receives an error with its reservation id.
 */
export function createReversals({
  ledger,
  clock,
  onEvent,
  onBackgroundError,
}: {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly onEvent: (event: EngineEvent) => void;
  readonly onBackgroundError: (error: unknown) => void;
}): Reversals {
  /** When each reservation was added, by id. */
  const pending = new Map<string, number>();
  let pauseMs = FIRST_PAUSE_MS;
  let isScheduled = false;
  let isClosed = false;
  let cancel = (): void => {};

  const giveUp = (reservationId: string, cause?: unknown): void => {
    pending.delete(reservationId);
    onEvent({ type: "ledger-failed", operation: "give-up" });
    const message = `reservation ${reservationId} may still be charged, although its request failed`;
    onBackgroundError(new Error(message, { cause }));
  };

  const reverse = async (reservationId: string): Promise<void> => {
    const resolution = await ledger.reverse({ reservationId, now: clock.now() });
    // closing may have repeated a running attempt
    if (pending.delete(reservationId)) onEvent({ type: "reservation-ended", resolution });
  };

  /** Stops at the first failure, so an unavailable ledger gets one call per round. */
  const reverseAll = async (): Promise<void> => {
    for (const [reservationId, since] of pending) {
      try {
        await reverse(reservationId);
        pauseMs = FIRST_PAUSE_MS;
      } catch (error) {
        if (isClosed) return;
        onEvent({ type: "ledger-failed", operation: "reverse" });
        // moves it to the end of the queue, in case it is the only one to fail
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
    cancel = clock.after(pauseMs, () => void reverseAll());
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
      cancel();
      const attempts = [...pending.keys()].map((reservationId) =>
        reverse(reservationId).catch((error: unknown) => {
          // already reported if the timeout has passed
          if (pending.has(reservationId)) giveUp(reservationId, error);
        }),
      );
      await Promise.race([
        Promise.all(attempts),
        new Promise<void>((resolve) => void (cancel = clock.after(CLOSE_TIMEOUT_MS, resolve))),
      ]);
      cancel();
      for (const reservationId of pending.keys()) giveUp(reservationId);
    },
  };
}
