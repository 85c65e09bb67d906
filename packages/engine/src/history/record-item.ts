import { modeOf } from "@snap/protocol";
import type { Capture } from "../capture.ts";
import type { BatchRecord, ItemRecord } from "../ports/batches.ts";
import type { Clock } from "../ports/clock.ts";
import { failureOf, successOf, type CaptureResult } from "./entry.ts";
import type { HistoryRecorder } from "./recorder.ts";

/** The capture that completed an item. */
export type CapturedItem = Pick<Capture, "cache" | "isCached" | "rendering">;

export interface RecordedItem {
  readonly batch: BatchRecord;
  readonly item: ItemRecord;
  /** Start of the last attempt. */
  readonly claimedAt: number;
  /** `null` for a failure. */
  readonly captured: CapturedItem | null;
}

/** Records a finished batch item. */
export function recordItem(
  { recorder, clock }: { readonly recorder: HistoryRecorder; readonly clock: Clock },
  { batch, item: { id, parameters, key, state }, claimedAt, captured }: RecordedItem,
): void {
  const result = resultOf(state, captured);
  if (result === null) return;
  const at = clock.now();
  recorder.record({
    at,
    durationMs: Math.max(0, at - claimedAt),
    requestId: id,
    batchId: batch.id,
    accountId: batch.accountId,
    tokenId: batch.tokenId,
    entryPoint: "batch",
    request: { parameters, mode: modeOf({ pdf: parameters["pdf"] }), key },
    ...result,
  });
}

function resultOf(state: ItemRecord["state"], captured: CapturedItem | null): CaptureResult | null {
  if (state.status === "failed") return failureOf(state);
  if (state.status !== "done" || captured === null) return null;
  return successOf({ ...captured, unchanged: false, creditCost: state.creditCost });
}
