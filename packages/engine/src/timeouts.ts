import { setTimeout as wait } from "node:timers/promises";

/*
 * Waits that end early. They use the system clock, so the domain does not import them.
 */

/**
 * Waits for `work`, or rejects with the reason of `signal` as soon as it aborts. The work itself continues; its result
 * is ignored.
 */
export async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let rejectAborted = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    rejectAborted = () => reject(signal.reason as Error);
    if (signal.aborted) rejectAborted();
    else signal.addEventListener("abort", rejectAborted, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", rejectAborted);
  }
}

/** Waits for `durationMs`, or rejects with the reason of `signal` as soon as it aborts. */
export async function pause(signal: AbortSignal, durationMs: number): Promise<void> {
  await wait(durationMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}

export interface TimeLimit {
  /** Also aborts the work. */
  readonly signal?: AbortSignal | undefined;
  readonly durationMs: number;
  /** Creates the reason for the abort on timeout. */
  readonly reason: () => Error;
}

/** Runs `work` with a signal that also aborts on timeout. */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(limit.reason()), limit.durationMs);
  const { signal } = limit;
  try {
    return await work(signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
  } finally {
    clearTimeout(timer);
  }
}
