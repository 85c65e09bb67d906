import { aborted, type SnapError } from "../errors.ts";

/** Clock, randomness and sleep of a client; tests replace them to avoid waiting. */
export interface Pacing {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** At least 0, less than 1. */
  random(): number;
  /** Resolves after `durationMs`; rejects with the signal's reason when it aborts. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

export const realPacing: Pacing = {
  now: () => Date.now(),
  random: () => Math.random(),
  async sleep(durationMs, signal) {
    signal?.throwIfAborted();
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const timer = setTimeout(wake, durationMs);
      signal?.addEventListener("abort", wake);
    });
    signal?.throwIfAborted();
  },
};

/** A timeout that runs until it is cleared. */
export interface Deadline {
  /** Aborts with the caller's signal, or after the timeout. */
  readonly signal: AbortSignal;
  /** Returns the error for the aborted signal: `aborted`, or the timeout error. */
  error(): SnapError;
  /** Stops the timeout. The caller's signal still applies, for a body that is read later. */
  clear(): void;
}

export function startDeadline({
  timeoutMs,
  signal,
  timedOut,
}: {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** Returns the timeout error. */
  readonly timedOut: () => SnapError;
}): Deadline {
  const timeout = new AbortController();
  const combinedSignal = signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal;
  const timer = setTimeout(() => timeout.abort(timedOut()), timeoutMs);
  return {
    signal: combinedSignal,
    error: () =>
      combinedSignal.reason === timeout.signal.reason
        ? (combinedSignal.reason as SnapError)
        : aborted(combinedSignal),
    clear: () => clearTimeout(timer),
  };
}
