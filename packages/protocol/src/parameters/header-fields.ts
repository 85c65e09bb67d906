const FIELDS_MAX = 20;

/** A token (RFC 9110, 5.6.2). */
const FIELD_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Visible characters, with spaces and tabs between them (RFC 9110, 5.5). */
const FIELD_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
/** Fields that the browser sets or refuses, and those that frame or route a message. */
const RESERVED =
  /^(host|connection|cookie|cookie2|set-cookie|keep-alive|te|trailer|transfer-encoding|upgrade|expect|content-.*|proxy-.*|sec-.*)$/;

export const HEADERS_SCHEMA: Readonly<Record<string, unknown>> = {
  type: "object",
  maxProperties: FIELDS_MAX,
  additionalProperties: { type: "string", minLength: 1 },
};

/** Returns the header fields with their names in lowercase and sorted, or `null` if they are invalid. */
export function canonicalHeaders(value: unknown): Readonly<Record<string, string>> | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const fields: [string, string][] = [];
  for (const [name, text] of Object.entries(value) as [string, unknown][]) {
    const field = name.toLowerCase();
    if (!FIELD_NAME.test(name) || RESERVED.test(field)) return null;
    if (typeof text !== "string" || !FIELD_VALUE.test(text)) return null;
    fields.push([field, text]);
  }
  const names = new Set(fields.map(([name]) => name));
  if (fields.length === 0 || fields.length > FIELDS_MAX || names.size < fields.length) return null;
  return Object.fromEntries(fields.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
