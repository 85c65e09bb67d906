import { LIMITS } from "../limits.ts";
import type { Row } from "./row.ts";

/**
 * Converts a parameter's text, as in a query, to a value of its kind. Text that does not fit is returned unchanged, and
 * later rejected.
 *
 * @param kind `undefined` for a name that is not a parameter.
 * @example
 * fromText("integer", "80"); // 80
 * fromText("integer", "80.5"); // "80.5"
 */
export function fromText(kind: Row["kind"] | undefined, text: string): unknown {
  switch (kind) {
    case "flag":
      if (text === "true" || text === "1") return true;
      if (text === "false" || text === "0") return false;
      return text;
    case "integer":
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
    case "decimal":
    case "pixels":
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case "json":
      return parseJson(text);
    case "choice":
    case "selector":
    case "text":
    case "url":
    case undefined:
      return text;
  }
}

function parseJson(text: string): unknown {
  // a JSON body can contain longer text than a query; parsing it could block all requests
  if (text.length > LIMITS.queryCharacters) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
