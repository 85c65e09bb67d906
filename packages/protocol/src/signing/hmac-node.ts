import { createHmac, timingSafeEqual } from "node:crypto";

/** `#hmac` under the `node` condition; all other runtimes use hmac-portable.ts. */

/** HMAC-SHA256 (RFC 2104) over the parts of a message, concatenated; 32 bytes. Strings are encoded as UTF-8. */
export function hmacSha256(key: string, ...message: readonly (string | Uint8Array)[]): Uint8Array {
  const hmac = createHmac("sha256", key);
  for (const part of message) hmac.update(part);
  return hmac.digest();
}

/** Whether two strings are equal, in time that depends only on their lengths; a digest's length is not secret. */
export function equalsInConstantTime(actual: string, expected: string): boolean {
  // UTF-8 would make lone surrogates equal to each other.
  const [a, b] = [Buffer.from(actual, "utf16le"), Buffer.from(expected, "utf16le")];
  return a.byteLength === b.byteLength && timingSafeEqual(a, b);
}
