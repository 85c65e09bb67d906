import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";

/** Hashing this much takes 0.6 ms with the SHA extensions of the processor, 2 ms without. */
const SLICE_BYTES = 1024 * 1024;

/** Each turn of the event loop hashes a slice of only one body, even if several are being hashed. */
let lastTurn = Promise.resolve();

/**
 * Returns the strong entity tag of a body (RFC 9110, 8.8.3): its quoted SHA-256. Hashes in slices, so large bodies do
 * not block this process. WebCrypto would first copy the body, which takes as long as hashing it.
 */
export async function entityTag(bytes: Uint8Array): Promise<string> {
  const hash = createHash("sha256").update(bytes.subarray(0, SLICE_BYTES));
  for (let start = SLICE_BYTES; start < bytes.byteLength; start += SLICE_BYTES) {
    lastTurn = lastTurn.then(() => setImmediate());
    await lastTurn;
    hash.update(bytes.subarray(start, start + SLICE_BYTES));
  }
  return `"${hash.digest("hex")}"`;
}
