import { equalsInConstantTime, hmacSha256 } from "#hmac";
import { canonicalQuery } from "./canonical-query.ts";
import { toHex } from "./to-hex.ts";

const SCHEME = "snap-signed-v1";
const SIGNATURE = /^[0-9a-f]{64}$/;

/**
 * Returns the signature of a query: lowercase hex HMAC-SHA256 of its canonical form, keyed with the signing secret of
 * the token that `tokenId` names (docs/reference/specification.md, Signed URLs).
 *
 * @param pairs The decoded query; a `signature` in it is ignored.
 * @example
 * const query = new URLSearchParams({ url: "https://example.com/", tokenId: "7" });
 * query.set("signature", signQuery(query, signingSecret));
 */
export function signQuery(
  pairs: Iterable<readonly [name: string, value: string]>,
  signingSecret: string,
): string {
  return toHex(hmacSha256(signingSecret, `${SCHEME}\n${canonicalQuery(pairs)}`));
}

/** Returns whether the signature matches the query, in constant time. */
export function verifyQuery(
  pairs: Iterable<readonly [name: string, value: string]>,
  { signature, signingSecret }: { readonly signature: string; readonly signingSecret: string },
): boolean {
  return SIGNATURE.test(signature) && equalsInConstantTime(signature, signQuery(pairs, signingSecret));
}
