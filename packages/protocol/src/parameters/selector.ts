import { countCharacters } from "./count-characters.ts";

/** One or more characters, none of them a single quote, backslash or control character. */
// oxlint-disable-next-line no-control-regex -- the pattern excludes control characters
export const SELECTOR_PATTERN = /^[^'\\\u0000-\u001f\u007f-\u009f]+$/;

/**
 * Returns whether a text can be sent as a selector. The browser checks its syntax.
 *
 * @example
 * isSelector('a[href="/"]', 512); // true
 * isSelector("a[href='/']", 512); // false
 */
export function isSelector(text: string, maxCharacters: number): boolean {
  return SELECTOR_PATTERN.test(text) && text.isWellFormed() && countCharacters(text) <= maxCharacters;
}
