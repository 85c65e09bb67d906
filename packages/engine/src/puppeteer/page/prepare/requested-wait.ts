import { DEFAULT_WAIT_TIMEOUT_MS, type SnapParameters } from "@snap/protocol";
import { SnapError } from "../../../errors.ts";
import { WAIT_CAPPED } from "../../../ports/renderer.ts";
import { withTimeout } from "../../../timeouts.ts";

export interface RequestedWait {
  readonly parameters: SnapParameters;
  /** The parameter that requests the wait. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/**
 * Runs a requested wait for at most `waitTimeout`. Resolves with the note `wait-capped` if it times out and
 * `onWaitTimeout` is `capture`.
 *
 * @throws SnapError `render_timeout` if it times out and `onWaitTimeout` is not `capture`.
 */
export async function runRequestedWait(
  { parameters, name, signal }: RequestedWait,
  wait: (signal: AbortSignal) => Promise<unknown>,
): Promise<readonly string[]> {
  const { waitTimeout: durationMs = DEFAULT_WAIT_TIMEOUT_MS, onWaitTimeout } = parameters;
  const timedOut = new SnapError(
    "render_timeout",
    `${name} timed out after ${durationMs} ms; increase waitTimeout, or set onWaitTimeout to capture.`,
  );
  try {
    await withTimeout({ signal, durationMs, reason: () => timedOut }, wait);
    return [];
  } catch (error) {
    if (error === timedOut && onWaitTimeout === "capture") return [WAIT_CAPPED];
    throw error;
  }
}
