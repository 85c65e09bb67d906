/** The signature's own parameter, which is not signed. */
const SIGNATURE_PARAMETER = "signature";

/**
 * Returns the canonical form of a query (docs/reference/specification.md, Signed URLs): without `signature`, sorted
 * bytewise by name, each name and value percent-encoded (RFC 3986) from its decoded form. Pairs with the same name keep
 * their order.
 *
 * @example
 * canonicalQuery([["url", "https://example.com/?q=a b"], ["tokenId", "7"]]);
 * // "tokenId=7&url=https%3A%2F%2Fexample.com%2F%3Fq%3Da%20b"
 */
export function canonicalQuery(pairs: Iterable<readonly [name: string, value: string]>): string {
  return Array.from(pairs, ([name, value]) => ({ name, value, bytes: utf8.encode(name) }))
    .filter(({ name }) => name !== SIGNATURE_PARAMETER)
    .toSorted((a, b) => compareBytes(a.bytes, b.bytes))
    .map(({ name, value }) => `${encode(name)}=${encode(value)}`)
    .join("&");
}

const utf8 = new TextEncoder();

/** RFC 3986, 2.3: also encodes the reserved characters that `encodeURIComponent` leaves alone. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (const [index, byte] of a.entries()) {
    const other = b[index];
    if (other === undefined) return 1;
    if (byte !== other) return byte - other;
  }
  return a.byteLength - b.byteLength;
}
