import type { BatchRecord, BatchStore } from "../ports/batches.ts";
import type { Clock } from "../ports/clock.ts";
import { advanceBatch, type BatchEvent, type BatchRules } from "./batch-machine.ts";

export interface EventParts {
  readonly batches: BatchStore;
  readonly clock: Clock;
  readonly rules: BatchRules;
}

/** Writes down what an event makes of a batch; `null` when it had no place there. */
export async function applyEvent(
  { batches, clock, rules }: EventParts,
  batchId: string,
  event: BatchEvent,
): Promise<BatchRecord | null> {
  const now = clock.now();
  return batches.change({ batchId, now, change: (batch) => advanceBatch(batch, event, { now, rules }) });
}
