import { SnapError } from "../errors.ts";

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
