import type { Clock } from "@snap/engine/ports";

/** A clock that moves only when a test advances or sets it. */
export interface FakeClock extends Clock {
  /** Advances by `ms` milliseconds, and runs every timer that is due by then, in order. */
  advance(ms: number): void;
  /** Sets the time of day, as an administrator would: the remaining time of timers does not change. */
  set(now: number): void;
}

interface Timer {
  readonly dueMs: number;
  readonly wake: () => void;
}

/**
 * Creates a clock that starts at `startMs` (milliseconds since the Unix epoch).
 *
 * @example
 * const clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
 * clock.after(5000, () => console.log(clock.now()));
 * clock.advance(5000);
 */
export function createFakeClock(startMs: number): FakeClock {
  const timers = new Set<Timer>();
  // like real timers, these use the elapsed time, not the time of day
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
