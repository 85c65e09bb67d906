import type { capture, Capture, CaptureOptions, CaptureRequest } from "../capture.ts";
import { toSnapError } from "../errors.ts";
import type { ParsedRequest } from "../parameters/parse-request.ts";
import type { Clock } from "../ports/clock.ts";
import { failureOf, successOf, type CaptureResult } from "./entry.ts";
import type { HistoryRecorder } from "./recorder.ts";

/** `capture` with its dependencies. */
export type CapturePage = (
  request: CaptureRequest & CaptureOptions,
  onParsed?: Parameters<typeof capture>[2],
) => Promise<Capture>;

/** Wraps `capture` to record each result. */
export function recordCaptures(
  capturePage: CapturePage,
  { recorder, clock }: { readonly recorder: HistoryRecorder; readonly clock: Clock },
): CapturePage {
  return async (request) => {
    const startedAt = clock.now();
    let parsed: ParsedRequest | null = null;
    const finish = (result: CaptureResult): void => {
      const { principal, requestId = null, entryPoint = "engine" } = request;
      const at = clock.now();
      recorder.record({
        at,
        durationMs: Math.max(0, at - startedAt),
        requestId,
        batchId: null,
        accountId: principal.account.id,
        tokenId: principal.token.id,
        entryPoint,
        request: parsed,
        ...result,
      });
    };
    const captured = await capturePage(request, (value) => {
      parsed = value;
    }).catch((error: unknown) => {
      finish(failureOf(toSnapError(error)));
      throw error;
    });
    finish(successOf(captured));
    return captured;
  };
}
