import type { BatchRecord } from "@snap/engine/ports";
import { batchOf, finished, queued } from "../../testing/src/suites/batch-samples.ts";

/** Returns an unfinished batch with a webhook and one item, which is due at instant 1. */
export function sampleBatch(id: string, change: Partial<BatchRecord> = {}): BatchRecord {
  return batchOf(queued(1), { id, createdAt: 1, ...change });
}

/** Returns the batch with its item done, or `null` if it is already finished. */
export function finish(batch: BatchRecord): BatchRecord | null {
  return batch.finishedAt === null ? finished(batch, { finishedAt: 5 }) : null;
}
