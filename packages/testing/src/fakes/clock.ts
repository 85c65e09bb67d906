import type { Clock } from "@snap/engine/ports";

/** A clock that stands still until it is told otherwise. */
export interface FakeClock extends Clock {
  /** Lets `ms` milliseconds pass: every timer due by then wakes, in the order of their instants. */
  advance(ms: number): void;
  /** Corrects the time of day, as an administrator would: timers keep the time they had left. */
  set(now: number): void;
}

interface Timer {
  readonly dueMs: number;
  readonly wake: () => void;
}

/**
 * A clock for tests that starts at the instant `startMs` (milliseconds since the Unix epoch).
 *
 * @example
 * const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
 * clock.after(5000, () => console.log(clock.now()));
 * clock.advance(5000);
 */
export function createFakeClock(startMs: number): FakeClock {
  const timers = new Set<Timer>();
  // Timers go by what has elapsed, not by the time of day, as the machine's own do.
  let elapsedMs = 0;
  let offsetMs = startMs;

  const nextDueBy = (limitMs: number): Timer | undefined => {
    let next: Timer | undefined;
    for (const timer of timers)
      if (timer.dueMs <= limitMs && (next === undefined || timer.dueMs < next.dueMs)) next = timer;
    return next;
  };

  return {
    now: () => offsetMs + elapsedMs,
    after(delayMs, wake) {
      const timer: Timer = { dueMs: elapsedMs + Math.max(0, delayMs), wake };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const endMs = elapsedMs + ms;
      for (let timer = nextDueBy(endMs); timer !== undefined; timer = nextDueBy(endMs)) {
        timers.delete(timer);
        elapsedMs = timer.dueMs;
        timer.wake();
      }
      elapsedMs = endMs;
    },
    set(now) {
      offsetMs = now - elapsedMs;
    },
  };
}
