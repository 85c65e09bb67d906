/** Source of time. Instants are milliseconds since the Unix epoch. */
export interface Clock {
  now(): number;
  /** Calls `wake` once after `delayMs`, unless the returned function is called first. */
  after(delayMs: number, wake: () => void): () => void;
}

/** The system clock. Its timers do not keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, wake) {
    const timer = setTimeout(wake, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};

/** The clock of a server shared by several machines. */
export interface ServerClock {
  /** The server's name for operators, such as `PostgreSQL`. */
  readonly name: string;
  /**
   * Returns the server's time in epoch milliseconds. Rejects, or returns `null`, within seconds if it is unavailable.
   */
  now(): Promise<number | null>;
}
