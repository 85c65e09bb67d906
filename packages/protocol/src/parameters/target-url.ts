import { LIMITS } from "../limits.ts";
import { isLongerThan } from "./is-longer-than.ts";

const ABSOLUTE_URL_MESSAGE = "must be an absolute URL that starts with http:// or https://";

/** Messages for an invalid `url`. */
export const URL_MESSAGES = {
  missing: `is required and ${ABSOLUTE_URL_MESSAGE}`,
  malformed: ABSOLUTE_URL_MESSAGE,
  tooLong: `must be at most ${LIMITS.urlCharacters} characters long`,
  credentials: "must not contain a user name or password",
} as const;

// the WHATWG parser drops or encodes control characters, and rewrites backslashes before the query;
// other parsers do not
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters on purpose
const AMBIGUOUS = /[\u0000-\u001f\u007f-\u009f]|^[^?#]*\\/;

/**
 * Parses an absolute `http` or `https` URL. Returns `null` for any other text, and for a URL that two parsers could
 * read differently. Does not check whether the host is allowed.
 *
 * @example
 * parseTargetUrl("HTTPS://Example.com")?.href; // "https://example.com/"
 * parseTargetUrl("example.com"); // null
 */
export function parseTargetUrl(text: string): URL | null {
  if (!/^ *https?:\/\//i.test(text) || AMBIGUOUS.test(text) || !text.isWellFormed() || !URL.canParse(text))
    return null;
  return new URL(text);
}

/**
 * Trims a URL and percent-encodes its spaces, as the URL standard does. People paste URLs with spaces, and a `+` in a
 * query is decoded to one.
 *
 * @example
 * encodeSpaces(" https://example.com/a b?q=c d"); // "https://example.com/a%20b?q=c%20d"
 */
export function encodeSpaces(url: string): string {
  return trimSpaces(url).replaceAll(" ", "%20");
}

/** Returns whether a URL, as `encodeSpaces` returns it, has more characters than `LIMITS.urlCharacters`. */
export function isTooLongUrl(text: string): boolean {
  // the rest of a longer text makes no difference
  const start = trimSpaces(text).slice(0, 3 * LIMITS.urlCharacters);
  return isLongerThan(start.replaceAll(" ", "%20"), LIMITS.urlCharacters);
}

/** Keeps other white space: `parseTargetUrl` rejects control characters, and the URL parser does not trim the rest. */
function trimSpaces(text: string): string {
  // no regular expression: / +$/ takes quadratic time on a long run of spaces
  let [start, end] = [0, text.length];
  while (text[start] === " ") start += 1;
  while (end > start && text[end - 1] === " ") end -= 1;
  return text.slice(start, end);
}
