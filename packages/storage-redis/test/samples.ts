import type { ConsumeRequest, StoredRendering } from "@snap/engine/ports";
import { sampleRendering as sample, STORED_AT } from "../../testing/src/suites/rendering-samples.ts";

export const NOW = STORED_AT;
export const RENDERING_KEY = { accountId: "acct_1", key: "0f1e" };

export function sampleRendering(change: Partial<StoredRendering> = {}): StoredRendering {
  return { ...sample(), etag: '"9f86d081"', ...change };
}

export function sampleConsumeRequest(change: Partial<ConsumeRequest> = {}): ConsumeRequest {
  return { accountId: "acct_1", name: "render", limit: 20, windowMs: 60_000, now: NOW, ...change };
}
