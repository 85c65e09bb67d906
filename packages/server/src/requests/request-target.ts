const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/**
 * The request target in origin form (RFC 9112, 3.2): absolute-form loses scheme and authority, `*`
 * becomes the root. Node lets a `#` through, which has no place in a target: it is taken as data.
 */
export function toOriginForm(target: string): string {
  // What nearly everyone sends.
  if (target.startsWith("/") && !target.includes("#")) return target;
  const path = target === "*" ? "/" : target.replace(ABSOLUTE_FORM, "");
  return (path.startsWith("/") ? path : `/${path}`).replaceAll("#", "%23");
}

/** Everything behind the first `?`, as it was sent. */
export function queryTextOf(target: string): string {
  const start = target.indexOf("?");
  return start === -1 ? "" : target.slice(start + 1);
}

/** The query, decoded as a form is. Malformed percent-encoding stays as it is. */
export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(queryTextOf(target));
}

/** The path, for the log: a query may hold what is secret. */
export function pathOf(target: string): string {
  return target.split("?", 1)[0] ?? "";
}
