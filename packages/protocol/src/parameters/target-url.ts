import { LIMITS } from "../limits.ts";
import { countCharacters } from "./count-characters.ts";

const ABSOLUTE_ADDRESS = "must be an absolute address that starts with http:// or https://, without spaces";

/** Why an address is refused (interface.md, `url`; decisions.md, Errors). */
export const URL_MESSAGES = {
  missing: `is required and ${ABSOLUTE_ADDRESS}`,
  malformed: ABSOLUTE_ADDRESS,
  tooLong: `must be at most ${LIMITS.urlCharacters} characters long`,
  credentials: "must not hold a user name or a password",
} as const;

// What the WHATWG parser drops or rewrites, and others read otherwise: control characters, space, backslash
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
const AMBIGUOUS = /[\u0000-\u0020\\\u007f-\u009f]/;

/**
 * Reads an absolute `http` or `https` address; `null` for every other text, and for one that two
 * parsers could read differently. Whether its host may be rendered is another question.
 *
 * @example
 * parseTargetUrl("HTTPS://Example.com")?.href; // "https://example.com/"
 * parseTargetUrl("example.com"); // null
 */
export function parseTargetUrl(text: string): URL | null {
  if (!/^https?:\/\//i.test(text) || AMBIGUOUS.test(text) || !text.isWellFormed() || !URL.canParse(text))
    return null;
  return new URL(text);
}

/** Whether an address has more characters than `LIMITS.urlCharacters`. */
export function isTooLongUrl(text: string): boolean {
  return countCharacters(text) > LIMITS.urlCharacters;
}
