import { LIMITS } from "../limits.ts";
import { countCharacters } from "./count-characters.ts";

const ABSOLUTE_ADDRESS = "must be an absolute address that starts with http:// or https://";

/** Why an address is refused (interface.md, `url`; docs/decisions/parameters.md). */
export const URL_MESSAGES = {
  missing: `is required and ${ABSOLUTE_ADDRESS}`,
  malformed: ABSOLUTE_ADDRESS,
  tooLong: `must be at most ${LIMITS.urlCharacters} characters long`,
  credentials: "must not hold a user name or a password",
} as const;

// What the WHATWG parser drops or rewrites, and others read otherwise: control characters, backslash
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const AMBIGUOUS = /[\u0000-\u001f\\\u007f-\u009f]/;

/**
 * Reads an absolute `http` or `https` address; `null` for every other text, and for one that two
 * parsers could read differently. Whether its host may be rendered is another question.
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
 * The address with its spaces as the URL standard has them: percent-encoded, and none around it. People paste such
 * addresses, and a `+` in a query arrives as a space.
 *
 * @example
 * encodeSpaces(" https://example.com/a b?q=c d"); // "https://example.com/a%20b?q=c%20d"
 */
export function encodeSpaces(url: string): string {
  // by hand: a pattern for the end would look at a long run of spaces again from each of them
  let [start, end] = [0, url.length];
  while (url[start] === " ") start += 1;
  while (end > start && url[end - 1] === " ") end -= 1;
  return url.slice(start, end).replaceAll(" ", "%20");
}

/** Whether an address has more characters than `LIMITS.urlCharacters`. */
export function isTooLongUrl(text: string): boolean {
  return countCharacters(text) > LIMITS.urlCharacters;
}
