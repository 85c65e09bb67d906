const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Reads `If-None-Match`: whether the client holds the representation of an entity tag. Lists, `*`
 * and weak tags count, the comparison is the weak one (RFC 9110, 13.1.2).
 *
 * @example
 * const holds = heldTags(request.headers["if-none-match"]);
 * if (holds('"5f3c…"')) response.writeHead(304);
 */
export function heldTags(header: string | undefined): (etag: string) => boolean {
  if (header === undefined) return () => false;
  // What nearly everyone sends: the one strong tag of the last answer.
  if (/^"[0-9a-f]+"$/.test(header)) return (etag) => etag === header;
  if (header.trim() === "*") return () => true;
  const tags = new Set(Array.from(header.matchAll(ENTITY_TAG), ([, tag]) => tag));
  return (etag) => tags.has(etag);
}
