import { setTimeout as wait } from "node:timers/promises";

/*
 * Waits that end early. This reads the clock of the machine, so the domain does not import it.
 */

/**
 * Waits for `work` unless `signal` aborts first; then rejects with the reason of the signal. The work
 * itself goes on, and its outcome is dropped.
 */
export async function unless<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** A pause that ends early, by rejecting with the reason of `signal`, when that aborts. */
export async function pause(signal: AbortSignal, durationMs: number): Promise<void> {
  await wait(durationMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}

export interface TimeLimit {
  /** Ends the work as well. */
  readonly signal?: AbortSignal | undefined;
  readonly durationMs: number;
  /** What the work is aborted with when the time is over. */
  readonly reason: () => Error;
}

/** Does `work` under a signal that also aborts when the time is over. */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(limit.reason()), limit.durationMs);
  const { signal } = limit;
  try {
    return await work(signal === undefined ? over.signal : AbortSignal.any([signal, over.signal]));
  } finally {
    clearTimeout(timer);
  }
}
