import { LIMITS } from "../limits.ts";
import { countCharacters } from "./count-characters.ts";

/** No single quote, backslash or control character (interface.md, `selector`), and no half of a character. */
// oxlint-disable-next-line no-control-regex -- control characters are what is refused
export const SELECTOR_PATTERN = /^[^'\\\u0000-\u001f\u007f-\u009f]+$/;

/**
 * Whether a text can be sent as a selector. Its syntax is the browser's to judge.
 *
 * @example
 * isSelector('a[href="/"]'); // true
 * isSelector("a[href='/']"); // false
 */
export function isSelector(text: string): boolean {
  return (
    SELECTOR_PATTERN.test(text) && text.isWellFormed() && countCharacters(text) <= LIMITS.selectorCharacters
  );
}
