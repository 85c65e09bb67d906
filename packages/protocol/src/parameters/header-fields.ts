const FIELDS_MAX = 20;

/** A token (RFC 9110, 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Visible characters, with spaces and tabs between them (RFC 9110, 5.5). */
const FIELD_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
/** Fields that the browser sets or rejects, or that frame or route a message; `*` matches the rest of a name. */
export const RESERVED_FIELDS: readonly string[] =
  "Connection Content-* Cookie Cookie2 Expect Host Keep-Alive Proxy-* Sec-* Set-Cookie TE Trailer Transfer-Encoding Upgrade".split(
    " ",
  );
const RESERVED = new RegExp(`^(?:${RESERVED_FIELDS.join("|").replaceAll("*", ".*")})$`, "i");

/** Names come from the caller and can have any length. */
const LABEL_CHARACTERS = 64;

/** The valid values of `headers`, for messages. */
export const HEADERS_SYNTAX = `an object of at most ${FIELDS_MAX} header fields`;

export const HEADERS_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  minProperties: 1,
  maxProperties: FIELDS_MAX,
  additionalProperties: { type: "string", minLength: 1 },
};

/** Returns the header fields with lowercase, sorted names, or what is wrong, without quoting a value. */
export function canonicalHeaders(value: unknown): Readonly<Record<string, string>> | string {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `must be ${HEADERS_SYNTAX}, as JSON`;
  const entries = Object.entries(value) as [string, unknown][];
  if (entries.length === 0) return "must not be empty; leave it out to send no fields";
  if (entries.length > FIELDS_MAX) return `must be at most ${FIELDS_MAX} header fields`;
  const fields = new Map<string, string>();
  for (const [index, [name, text]] of entries.entries()) {
    // an invalid name may contain a value, such as `X-Preview: secret`
    if (!FIELD_NAME.test(name)) return `must have a name of letters, digits and hyphens at index ${index}`;
    const label = name.slice(0, LABEL_CHARACTERS);
    const field = name.toLowerCase();
    if (RESERVED.test(name)) return `must not have ${label}, which the browser or the connection sets`;
    if (typeof text !== "string" || !FIELD_VALUE.test(text))
      return `must have printable ASCII text, without leading or trailing spaces, as the value of ${label}`;
    if (fields.has(field)) return `must have ${label} only once; names are case-insensitive`;
    fields.set(field, text);
  }
  return Object.fromEntries([...fields].toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
