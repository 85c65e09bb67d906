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

/** A pause that ends early, by rejecting, when `signal` aborts. */
export async function pause(signal: AbortSignal, durationMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, durationMs);
  });
  try {
    await unless(signal, over);
  } finally {
    clearTimeout(timer);
  }
}

export interface TimeLimit {
  /** Ends the work as well. */
  readonly signal: AbortSignal;
  readonly durationMs: number;
  /** What the work is aborted with when the time is over. */
  readonly reason: () => Error;
}

/** Does `work` under a signal that also aborts when the time is over. */
export async function within<T>(limit: TimeLimit, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(limit.reason()), limit.durationMs);
  try {
    return await work(AbortSignal.any([limit.signal, over.signal]));
  } finally {
    clearTimeout(timer);
  }
}
