import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/*! Bundles @noble/hashes, (c) 2022 Paul Miller (paulmillr.com), MIT License. */

/**
 * `#hmac` for browsers and all other runtimes without the `node` condition. The library is bundled. Unlike Web Crypto, it
 * is synchronous, as templates with signed URLs require.
 */

const utf8 = new TextEncoder();

/** HMAC-SHA256 (RFC 2104) over the parts of a message, concatenated; 32 bytes. Strings are encoded as UTF-8. */
export function hmacSha256(key: string, ...message: readonly (string | Uint8Array)[]): Uint8Array {
  const mac = hmac.create(sha256, utf8.encode(key));
  for (const part of message) mac.update(typeof part === "string" ? utf8.encode(part) : part);
  return mac.digest();
}

/** Whether two strings are equal, in time that depends only on their lengths; a digest's length is not secret. */
export function equalsInConstantTime(actual: string, expected: string): boolean {
  let difference = actual.length ^ expected.length;
  for (let index = 0; index < expected.length; index += 1)
    // Past the end, charCodeAt returns NaN, which counts as 0; the lengths already differ.
    difference |= actual.charCodeAt(index) ^ expected.charCodeAt(index);
  return difference === 0;
}
