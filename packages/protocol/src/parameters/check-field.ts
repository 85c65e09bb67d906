import { fieldMessage } from "./field-message.ts";
import type { Row } from "./row.ts";
import { isSelector } from "./selector.ts";
import { isTooLongUrl, parseTargetUrl, URL_MESSAGES } from "./target-url.ts";
import { canonicalJson, canonicalText } from "./text.ts";

/**
 * Returns the service's error message for an invalid value, or `null` for a valid one.
 *
 * @example
 * checkField(PARAMETERS.screenshot.scale, 4); // "must be an integer from 1 to 3"
 */
export function checkField(field: Row, value: unknown): string | null {
  if (field.kind === "url") return checkUrl(value);
  return value === undefined || isValueOf(field, value) ? null : fieldMessage(field, value);
}

function checkUrl(value: unknown): string | null {
  if (value === undefined) return URL_MESSAGES.missing;
  if (typeof value !== "string") return URL_MESSAGES.malformed;
  if (isTooLongUrl(value)) return URL_MESSAGES.tooLong;
  const url = parseTargetUrl(value);
  if (url === null) return URL_MESSAGES.malformed;
  return url.username === "" && url.password === "" ? null : URL_MESSAGES.credentials;
}

function isValueOf(field: Exclude<Row, { readonly kind: "url" }>, value: unknown): boolean {
  switch (field.kind) {
    case "flag":
      return typeof value === "boolean";
    case "integer":
      return Number.isInteger(value) && isInRange(field, value);
    case "decimal":
    case "pixels":
      return isInRange(field, value);
    case "choice":
      return typeof value === "string" && field.values.includes(value);
    case "selector":
      return typeof value === "string" && isSelector(field, value);
    case "json":
      return canonicalJson(field, value) !== null;
    case "text":
      return typeof value === "string" && canonicalText(field, value) !== null;
  }
}

function isInRange({ min, max }: { readonly min: number; readonly max: number }, value: unknown): boolean {
  return typeof value === "number" && value >= min && value <= max;
}
