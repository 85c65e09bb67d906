import { setTimeout as pause } from "node:timers/promises";

/** Interval between probes of an unavailable Redis. */
const PROBE_INTERVAL_MS = 500;

/**
 * Runs a command on Redis; calls `fallback` while Redis is unavailable, or if the command fails. Rejects only
 * if `fallback` throws.
 */
export type Attempt = <T>(command: () => Promise<T>, fallback: () => T) => Promise<T>;

export interface Availability {
  readonly attempt: Attempt;
  isUsable(): boolean;
  /** Marks Redis as unavailable, for this reason. */
  markAsLost(reason: unknown): void;
  close(): void;
}

export interface AvailabilityOptions {
  readonly commandTimeoutMs: number;
  /** Rejects while Redis is unavailable. */
  readonly probe: () => Promise<void>;
  /** Work to do before Redis is used again. */
  readonly pending: { isEmpty(): boolean; flush(): Promise<void> };
  readonly onLost: (reason: unknown) => void;
  /** Called for the first failure, and for each probe that fails. */
  readonly onFailure: (reason: unknown) => void;
  readonly onRecovered: () => void;
}

/**
 * Keeps calls from waiting for an unresponsive Redis: after the first failure, only probes are sent until one succeeds.
 */
export function createAvailability({
  commandTimeoutMs,
  probe,
  pending,
  onLost,
  onFailure,
  onRecovered,
}: AvailabilityOptions): Availability {
  let state: "usable" | "lost" | "closed" = "usable";
  const is = (expected: typeof state): boolean => state === expected;

  const markAsLost = (reason: unknown): void => {
    if (!is("usable")) return;
    state = "lost";
    onLost(reason);
    onFailure(reason);
    void recover();
  };
  const recover = async (): Promise<void> => {
    while (is("lost")) {
      await pause(PROBE_INTERVAL_MS, undefined, { ref: false });
      const isBack = await probeAndFlush();
      if (!isBack || !is("lost")) continue;
      state = "usable";
      onRecovered();
    }
  };
  /** Has no timeout: responses arrive in order, so once the probe succeeds, none is outstanding. */
  const probeAndFlush = async (): Promise<boolean> => {
    try {
      await probe();
      while (!pending.isEmpty()) await pending.flush();
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    }
  };

  return {
    async attempt(command, fallback) {
      if (!is("usable")) return fallback();
      try {
        return await withTimeout(command(), commandTimeoutMs);
      } catch (error) {
        markAsLost(error);
        return fallback();
      }
    },
    isUsable: () => is("usable"),
    markAsLost,
    close() {
      state = "closed";
    },
  };
}

/** Rejects after `limitMs`; the work continues, and its result is ignored. */
export function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new Error(`no response within ${limitMs} ms`));
    // lets a busy process read responses that have already arrived
    const timer = setTimeout(() => setImmediate(giveUp), limitMs);
    void work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
