import type { BatchRecord } from "@snap/engine/ports";
import { queued, sampleBatch as sample } from "../../testing/src/suites/batch-samples.ts";

/** Returns an unfinished batch with a webhook and items, which are due at instant 1. */
export function sampleBatch(id: string, { itemCount = 2, selector = "" } = {}): BatchRecord {
  const items = Array.from({ length: itemCount }, (_, index) => ({
    id: `item_${index}`,
    parameters: { url: `https://example.com/${index}`, selector },
    key: `${index}`,
    state: queued(1),
  }));
  return sample({ id, createdAt: 1, items });
}
