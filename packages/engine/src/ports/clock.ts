/** Where the engine gets the time from. Instants are milliseconds since the Unix epoch. */
export interface Clock {
  now(): number;
  /** Calls `wake` once after `delayMs`; the function returned calls it off. */
  after(delayMs: number, wake: () => void): () => void;
}

/** The clock of the machine. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, wake) {
    const timer = setTimeout(wake, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
