/** Key of a stored rendering if `storeKey` is not sent. */
export const DEFAULT_STORE_KEY = "{host}/{date}/{id}.{ext}";

/** The placeholders of `storeKey`, for messages. */
export const PLACEHOLDERS = "{host}, {date}, {id} and {ext}";

const PLACEHOLDER = /\{(host|date|id|ext)\}/g;
/**
 * Control and format characters, line and paragraph separators, and backslashes; also percent-encoded ASCII control
 * characters, slashes and backslashes.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\]|%(?:[01][0-9a-f]|7f|2f|5c)/iu;
/** An empty, `.` or `..` segment, even with percent-encoded dots or trailing spaces: some systems decode or drop them. */
const EMPTY_OR_DOT_SEGMENT = /^(?:\.|%2e){0,2}(?: |%20)*$/i;

/** The values of the placeholders. */
export type StoreKeyValues = Readonly<Record<"host" | "date" | "id" | "ext", string>>;

/**
 * Returns whether a key is a relative path that cannot leave its folder, even if a tool percent-decodes it: well-formed
 * Unicode without empty, `.` or `..` segments, backslashes, control characters or format characters.
 *
 * @example
 * isObjectKey("2026/invoice.pdf"); // true
 * isObjectKey("../invoice.pdf"); // false
 * isObjectKey("%2e%2e/invoice.pdf"); // false
 */
export function isObjectKey(key: string): boolean {
  const segments = key.split("/");
  return (
    key.isWellFormed() && !UNSAFE.test(key) && !segments.some((segment) => EMPTY_OR_DOT_SEGMENT.test(segment))
  );
}

/** Returns the text if it is a valid `storeKey`, otherwise `null`. */
export function canonicalStoreKey(text: string): string | null {
  const hasStrayBraces = /[{}]/.test(text.replaceAll(PLACEHOLDER, ""));
  return !hasStrayBraces && isObjectKey(text) ? text : null;
}

/**
 * Replaces the placeholders of a valid `storeKey`.
 *
 * @example
 * const values = { host: "example.com", date: "2026-11-25", id: "7", ext: "png" };
 * fillStoreKey("{host}/{id}.{ext}", values); // "example.com/7.png"
 */
export function fillStoreKey(storeKey: string, values: StoreKeyValues): string {
  return storeKey.replaceAll(PLACEHOLDER, (_, name: keyof StoreKeyValues) => values[name]);
}
