import type { RenderBatch } from "@snap/protocol";
import { DURATION_MS, readInteger } from "../read-options.ts";
import type { CallOptions } from "../sending/send.ts";
import { startDeadline, type Pacing } from "../sending/time.ts";

const POLL_INTERVAL_MS = 1000;
/** The poll interval grows by half each time, up to ten times the first interval. */
const INTERVAL_GROWTH = 1.5;
const MAX_INTERVAL_GROWTH = 10;
/** Items over a limit, or with names that cannot be resolved, are retried for up to 15 minutes before they render. */
const WAIT_TIMEOUT_MS = 30 * 60 * 1000;

export interface WatchOptions {
  /** Ends the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds until the wait ends with `timed_out`. The batch itself continues.
   * @default 1800000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Milliseconds between the first two polls. Later intervals grow up to ten times, and each is randomly shortened by
   * up to half.
   * @default 1000
   */
  readonly pollIntervalMs?: number | undefined;
}

export interface BatchSource {
  readonly get: (id: string, options: CallOptions) => Promise<RenderBatch>;
  readonly pacing: Pacing;
}

/**
 * Polls a batch until it is complete, and yields each state. A batch passed as `start` is the first state.
 *
 * @throws SnapError `timed_out`, or the error of a failed poll.
 */
export async function* watchBatch(
  { get, pacing }: BatchSource,
  start: string | RenderBatch,
  options: WatchOptions,
): AsyncGenerator<RenderBatch, void, undefined> {
  const timeoutMs = readInteger("timeoutMs", options.timeoutMs ?? WAIT_TIMEOUT_MS, DURATION_MS);
  const firstMs = readInteger("pollIntervalMs", options.pollIntervalMs ?? POLL_INTERVAL_MS, DURATION_MS);
  const deadline = startDeadline({
    timeoutMs,
    signal: options.signal,
    failure: "The batch is still running; it was not complete",
  });
  const { signal } = deadline;
  try {
    let batch = typeof start === "string" ? await get(start, { signal }) : start;
    yield batch;
    for (let polls = 0; batch.status !== "complete"; polls += 1) {
      const intervalMs = firstMs * Math.min(INTERVAL_GROWTH ** polls, MAX_INTERVAL_GROWTH);
      await pacing.sleep(intervalMs * (1 - pacing.random() / 2), signal);
      batch = await get(batch.id, { signal });
      yield batch;
    }
  } finally {
    deadline.clear();
  }
}
