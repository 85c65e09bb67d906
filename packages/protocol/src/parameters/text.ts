import { isLongerThan } from "./is-longer-than.ts";
import type { JsonRow, TextRow } from "./row.ts";

/**
 * Returns the canonical form of a text parameter, or `null` if the text is not valid.
 *
 * @example
 * const row = PARAMETERS.screenshot.locale;
 * if (row.kind === "text") canonicalText(row, "de-ch"); // "de-CH"
 */
export function canonicalText({ maxCharacters, canonicalize }: TextRow, text: string): string | null {
  if (text === "" || isLongerThan(text, maxCharacters) || !text.isWellFormed()) return null;
  return canonicalize === undefined ? text : canonicalize(text);
}

/** Returns the canonical form of a structure, or `null` if the value is not valid. */
export function canonicalJson({ maxCharacters, canonicalize }: JsonRow, value: unknown): object | null {
  const structure = canonicalize(value);
  const isValid = typeof structure === "object" && JSON.stringify(structure).length <= maxCharacters;
  return isValid ? structure : null;
}

/**
 * Returns a comma-separated list in canonical form, sorted and without repetitions, or `null` if `canonicalItem` returns
 * `null` for an item.
 */
export function canonicalList(text: string, canonicalItem: (item: string) => string | null): string | null {
  const items = text.split(",").map((item) => canonicalItem(item.trim()));
  return items.every((item) => item !== null) ? [...new Set(items)].toSorted().join(",") : null;
}
