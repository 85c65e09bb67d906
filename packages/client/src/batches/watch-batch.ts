import type { BatchItem, RenderBatch } from "@snap/protocol";
import { isSnapError, SnapError } from "../errors.ts";
import { DURATION_RANGE_MS, readId, readInteger } from "../read-options.ts";
import { isRetryable } from "../sending/retry.ts";
import type { CallOptions } from "../sending/send.ts";
import { startDeadline, type Pacing } from "../sending/time.ts";

const POLL_INTERVAL_MS = 1000;
/** The poll interval grows by half each time, up to ten times the first interval. */
const INTERVAL_GROWTH = 1.5;
const MAX_INTERVAL_GROWTH = 10;
/** Twice the default time for which the service retries an item after a temporary failure, such as a rate limit. */
const WAIT_TIMEOUT_MS = 30 * 60 * 1000;

export interface WatchOptions {
  /** Ends the wait with `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Milliseconds until the wait ends with `timed_out`, including the time that the caller of `items` takes for each
   * item. The batch itself continues.
   * @default 1800000
   */
  readonly timeoutMs?: number | undefined;
  /**
   * The first interval between polls, in milliseconds. Later ones grow up to ten times, and each is randomly
   * shortened by up to half.
   * @default 1000
   */
  readonly pollIntervalMs?: number | undefined;
}

export interface BatchSource {
  readonly get: (id: string, options: CallOptions) => Promise<RenderBatch>;
  readonly pacing: Pacing;
}

/**
 * Polls a batch until it is complete, and yields each state. A batch passed as `batchOrId` is the first state. A poll that
 * fails temporarily is repeated until the time limit.
 *
 * @throws SnapError `timed_out`, `aborted`, or the error from a poll that failed permanently.
 */
export async function* watchBatch(
  { get, pacing }: BatchSource,
  batchOrId: string | RenderBatch,
  options: WatchOptions,
): AsyncGenerator<RenderBatch, void, undefined> {
  const timeoutMs = readInteger("timeoutMs", options.timeoutMs ?? WAIT_TIMEOUT_MS, DURATION_RANGE_MS);
  const firstMs = readInteger(
    "pollIntervalMs",
    options.pollIntervalMs ?? POLL_INTERVAL_MS,
    DURATION_RANGE_MS,
  );
  const id = readId(
    typeof batchOrId === "string" ? batchOrId : (Object(batchOrId) as Partial<RenderBatch>).id,
  );
  let failure: SnapError | null = null;
  const deadline = startDeadline({
    timeoutMs,
    signal: options.signal,
    timedOut: () => waitTimedOut(timeoutMs, failure),
  });
  const { signal } = deadline;
  /** Returns `null` after a temporary failure. */
  const poll = async (): Promise<RenderBatch | null> => {
    try {
      const state = await get(id, { signal });
      failure = null;
      return state;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      failure = error;
      return null;
    }
  };
  try {
    let latest = typeof batchOrId === "string" ? await poll() : batchOrId;
    if (latest !== null) yield latest;
    for (let polls = 0; latest?.status !== "complete"; polls += 1) {
      const intervalMs = firstMs * Math.min(INTERVAL_GROWTH ** polls, MAX_INTERVAL_GROWTH);
      await pacing.sleep(intervalMs * (1 - pacing.random() / 2), signal);
      const state = await poll();
      if (state === null || isOlder(state, latest)) continue;
      latest = state;
      yield latest;
    }
  } catch (error) {
    throw signal.aborted ? deadline.error() : error;
  } finally {
    deadline.clear();
  }
}

/** A proxy or a replica can return an older state. */
function isOlder(state: RenderBatch, latest: RenderBatch | null): boolean {
  return latest !== null && state.status !== "complete" && countFinished(state) < countFinished(latest);
}

export function countFinished({ items }: RenderBatch): number {
  return items.filter(isFinished).length;
}

/** A status that is newer than this package counts as not finished. */
export function isFinished({ status }: BatchItem): boolean {
  return status === "done" || status === "failed";
}

/** A poll changes nothing, so it can be repeated after a timeout too. */
function isTemporary(error: unknown): error is SnapError {
  return isSnapError(error) && (error.code === "timed_out" || isRetryable(error, true));
}

function waitTimedOut(timeoutMs: number, failure: SnapError | null): SnapError {
  const message =
    failure === null
      ? `The batch is still running; it did not finish within ${timeoutMs} ms.`
      : `The batch did not finish within ${timeoutMs} ms; the last poll failed: ${failure.message}`;
  return new SnapError("timed_out", message, { status: 0, ...(failure && { cause: failure }) });
}
