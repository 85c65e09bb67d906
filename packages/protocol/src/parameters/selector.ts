import { isLongerThan } from "./is-longer-than.ts";
import type { SelectorRow } from "./row.ts";

// oxlint-disable-next-line no-control-regex -- the pattern excludes control characters
const PATTERN = /^[^\u0000-\u001f\u007f-\u009f]+$/;
// oxlint-disable-next-line no-control-regex -- the pattern excludes control characters
const STRICT_PATTERN = /^[^'\\\u0000-\u001f\u007f-\u009f]+$/;

/** Returns what a selector must match: one or more characters that the parameter accepts. */
export function selectorPattern({ isStrict = false }: Pick<SelectorRow, "isStrict">): RegExp {
  return isStrict ? STRICT_PATTERN : PATTERN;
}

/**
 * Returns whether text can be sent as a selector. The browser checks its syntax.
 *
 * @example
 * isSelector({ maxCharacters: 512 }, "a[href='/']"); // true
 * isSelector({ maxCharacters: 512, isStrict: true }, "a[href='/']"); // false
 */
export function isSelector(row: Pick<SelectorRow, "isStrict" | "maxCharacters">, text: string): boolean {
  return !isLongerThan(text, row.maxCharacters) && text.isWellFormed() && selectorPattern(row).test(text);
}
