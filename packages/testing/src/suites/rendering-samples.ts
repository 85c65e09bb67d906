import type { StoredRendering } from "@snap/engine/ports";
import { createHash } from "node:crypto";

export const STORED_AT = 1_767_225_600_000;
export const EXPIRES_AT = STORED_AT + 86_400_000;

export function sampleRendering(change: Partial<Omit<StoredRendering, "etag">> = {}): StoredRendering {
  const { bytes = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff]) } = change;
  return {
    bytes,
    contentType: "image/png",
    targetStatus: 200,
    notes: [],
    etag: `"${createHash("sha256").update(bytes).digest("hex")}"`,
    storedAt: STORED_AT,
    expiresAt: EXPIRES_AT,
    ...change,
  };
}
