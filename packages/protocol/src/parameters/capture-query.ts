import { LIMITS } from "../limits.ts";
import { CONTENT_NAMES } from "./content.ts";
import { secretsIn } from "./secrets.ts";
import { toQuery } from "./to-query.ts";

/**
 * Returns the query of `GET /snap` for a capture; `null` if the capture needs `POST /captures`: it
 * has content, secrets (URLs are logged) or parameters that are too long for a URL.
 *
 * @example
 * captureQuery({ url: "https://example.com", scale: 2 })?.toString(); // "url=https%3A%2F%2Fexample.com&scale=2"
 * captureQuery({ url: "https://example.com", basicAuth: "user:password" }); // null
 */
export function captureQuery(parameters: Readonly<Record<string, unknown>>): URLSearchParams | null {
  const hasContent = CONTENT_NAMES.some((name) => parameters[name] !== undefined);
  if (hasContent || secretsIn(parameters).length > 0) return null;
  const query = toQuery(parameters);
  return query.toString().length <= LIMITS.queryCharacters ? query : null;
}
