import { SnapError } from "../errors.ts";

/** How time passes for a client: replaced in tests that must not wait. */
export interface Pacing {
  /** Milliseconds since 1970. */
  now(): number;
  /** At least 0, less than 1. */
  random(): number;
  /** Resolves after the time, or rejects with the signal's reason. */
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

/** A time limit that counts until it is cleared. */
export interface Deadline {
  /** Aborts with the caller's signal and its reason, or with `timed_out` once the time is over. */
  readonly signal: AbortSignal;
  /** Stops the time; the caller's signal still counts, for a body that is read later. */
  clear(): void;
}

export function startDeadline({
  timeoutMs,
  signal,
  what,
}: {
  readonly timeoutMs: number;
  readonly signal: AbortSignal | undefined;
  /** What has not happened when the time is over. */
  readonly what: string;
}): Deadline {
  const timed = new AbortController();
  const timer = setTimeout(() => {
    timed.abort(new SnapError("timed_out", `${what} within ${timeoutMs} ms.`, { status: 0 }));
  }, timeoutMs);
  return {
    signal: signal === undefined ? timed.signal : AbortSignal.any([signal, timed.signal]),
    clear: () => clearTimeout(timer),
  };
}
