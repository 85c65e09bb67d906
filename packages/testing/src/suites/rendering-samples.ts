import type { StoredRendering } from "@snap/engine/ports";

export const STORED_AT = 1_767_225_600_000;
export const EXPIRES_AT = STORED_AT + 86_400_000;

export function sampleRendering(change: Partial<StoredRendering> = {}): StoredRendering {
  return {
    bytes: Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]),
    contentType: "image/png",
    targetStatus: 200,
    notes: [],
    etag: '"9f86d081"',
    storedAt: STORED_AT,
    expiresAt: EXPIRES_AT,
    ...change,
  };
}
