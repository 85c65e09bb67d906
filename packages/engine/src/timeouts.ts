import { setTimeout as wait } from "node:timers/promises";

/*
 * Abortable waits, for the renderer and the egress code. Their timers do not follow the engine's `Clock`.
 */

/**
 * Resolves with `work`, or rejects with the abort reason of `signal` if it aborts first. Does not cancel the work, but
 * ignores its outcome.
 */
export async function abortable<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Resolves after `durationMs`, or rejects with the abort reason of `signal`. */
export async function sleep(signal: AbortSignal, durationMs: number): Promise<void> {
  await wait(durationMs, undefined, { signal }).catch(() => signal.throwIfAborted());
}

export interface TimeLimit {
  /** Also aborts the work. */
  readonly signal?: AbortSignal | undefined;
  readonly durationMs: number;
  /** Returns the abort reason for the timeout. */
  readonly reason: () => Error;
}

/** Returns what `work` resolves with, or `otherwise` after `durationMs`. The work must observe its signal. */
export async function giveUpAfter<T>(
  limit: { readonly signal: AbortSignal; readonly durationMs: number; readonly otherwise: T },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timedOut = new Error("the time limit was reached");
  try {
    return await withTimeout({ ...limit, reason: () => timedOut }, work);
  } catch (error) {
    if (error === timedOut) return limit.otherwise;
    throw error;
  }
}

/** Runs `work` with a signal that aborts after `durationMs`. The work must observe the signal. */
export async function withTimeout<T>(
  limit: TimeLimit,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(limit.reason()), limit.durationMs);
  const { signal } = limit;
  try {
    return await work(signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]));
  } finally {
    clearTimeout(timer);
  }
}
