import { LIMITS } from "../limits.ts";
import type { ParameterField } from "./table.ts";
import { URL_MESSAGES } from "./target-url.ts";

/**
 * What a value of the field must be. It names the values that would do, whatever the fault was.
 *
 * @example
 * fieldMessage(PARAMETERS.screenshot.delay); // "must be an integer from 0 to 10000"
 */
export function fieldMessage(field: ParameterField): string {
  switch (field.kind) {
    case "flag":
    case "mode":
      return "must be true or false";
    case "integer":
      return `must be an integer from ${field.min} to ${field.max}`;
    case "decimal":
    case "pixels":
      return `must be a number from ${field.min} to ${field.max}`;
    case "choice":
      return `must be one of ${field.values.join(", ")}`;
    case "selector":
      return `must be a CSS selector of 1 to ${LIMITS.selectorCharacters} characters without single quotes, backslashes and control characters`;
    case "url":
      return URL_MESSAGES.malformed;
  }
}
