import type { ConsumeRequest, StoredRendering } from "@snap/engine/ports";

export const NOW = 1_767_225_600_000;
export const NAME = { accountId: "acct_1", key: "0f1e" };

export function sampleRendering(change: Partial<StoredRendering> = {}): StoredRendering {
  return {
    bytes: Uint8Array.from([0x89, 0x50, 0x4e, 0x47]),
    contentType: "image/png",
    targetStatus: 200,
    notes: [],
    etag: '"9f86d081"',
    storedAt: NOW,
    expiresAt: NOW + 86_400_000,
    ...change,
  };
}

export function consumeRequest(change: Partial<ConsumeRequest> = {}): ConsumeRequest {
  return { accountId: "acct_1", name: "render", limit: 20, windowMs: 60_000, now: NOW, ...change };
}
