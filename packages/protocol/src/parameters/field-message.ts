import { isLongerThan } from "./is-longer-than.ts";
import type { Row, SelectorRow } from "./row.ts";
import { isSelector } from "./selector.ts";
import { mustBeOneOf, suggestion } from "./suggest-name.ts";
import { URL_MESSAGES } from "./target-url.ts";

/**
 * Returns what the parameter's value must be. The message describes the valid values, and suggests the one closest to
 * `value`; for a structure, it names the invalid member, but never its value, which may be secret.
 *
 * @example
 * fieldMessage(PARAMETERS.screenshot.delay); // "must be an integer from 0 to 10000"
 */
export function fieldMessage(row: Row, value?: unknown): string {
  switch (row.kind) {
    case "flag":
      return "must be true or false";
    case "integer":
      return `must be an integer from ${row.min} to ${row.max}`;
    case "decimal":
    case "pixels":
      return `must be a number from ${row.min} to ${row.max}`;
    case "choice":
      return mustBeOneOf(row.values, value) + replacement(row.elsewhere?.get(value));
    case "selector":
      return `must be a CSS selector of 1 to ${row.maxCharacters} characters without ${row.isStrict ? "single quotes, backslashes or " : ""}control characters${replacement(withDoubleQuotes(row, value))}`;
    case "text":
      return `must be ${row.syntax}, 1 to ${row.maxCharacters} characters long${suggestion(row.suggestions ?? [], value)}`;
    case "json": {
      const result = row.canonicalize(value);
      return typeof result === "string" ? result : `must be at most ${row.maxCharacters} characters of JSON`;
    }
    case "url":
      return URL_MESSAGES.malformed;
  }
}

/** Returns a selector with double quotes, if only its single quotes make it invalid. */
function withDoubleQuotes(row: SelectorRow, value: unknown): string | undefined {
  if (typeof value !== "string" || isLongerThan(value, row.maxCharacters) || value.includes('"'))
    return undefined;
  const quoted = value.replaceAll("'", '"');
  return quoted !== value && isSelector(row, quoted) ? quoted : undefined;
}

function replacement(text: string | undefined): string {
  return text ? `; send ${text}` : "";
}
