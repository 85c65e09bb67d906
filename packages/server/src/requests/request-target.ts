const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * Converts a request target to origin form (RFC 9112, 3.2): drops the scheme and authority, and turns `*` into `/`. Node
 * accepts a `#`, which is invalid in a target; it is encoded.
 */
export function toOriginForm(target: string): string {
  // Fast path for nearly every request.
  if (target.startsWith("/") && !target.includes("#")) return target;
  const path = target === "*" ? "/" : target.replace(ABSOLUTE_FORM, "");
  return (path.startsWith("/") ? path : `/${path}`).replaceAll("#", "%23");
}

/** Everything after the first `?`, not decoded. */
export function rawQueryOf(target: string): string {
  const start = target.indexOf("?");
  return start === -1 ? "" : target.slice(start + 1);
}

/** Returns the path without the query, which may contain secrets that must not be logged. */
export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? "";
}

/** Returns a segment of the path, decoded if possible. A negative index counts from the end. */
export function segmentOf(target: string, index: number): string {
  const segment = pathOf(target).split("/").at(index) ?? "";
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
