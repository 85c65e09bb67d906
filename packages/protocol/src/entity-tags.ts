const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Parses `If-None-Match` into a predicate: does the client have the representation with this entity tag? Supports lists
 * and `*`, and uses the weak comparison (RFC 9110, 13.1.2). Returns `undefined` if there is no header.
 *
 * @example
 * const holds = parseIfNoneMatch(request.headers["if-none-match"]);
 * if (holds?.('"5f3c…"')) response.writeHead(304);
 */
export function parseIfNoneMatch(header: string | null | undefined): ((etag: string) => boolean) | undefined {
  if (header == null) return undefined;
  if (header.trim() === "*") return () => true;
  // nearly every client sends a single strong tag
  return (etag) =>
    header === etag || Array.from(header.matchAll(ENTITY_TAG), ([, tag]) => tag).includes(etag);
}
