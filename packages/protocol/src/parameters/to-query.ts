/**
 * Writes valid parameters as a query, in their order. Leaves out `undefined` values.
 *
 * @example
 * toQuery({ url: "https://example.com", fullPage: true }).toString();
 * // "url=https%3A%2F%2Fexample.com&fullPage=true"
 */
export function toQuery(parameters: object): URLSearchParams {
  const query = new URLSearchParams();
  const entries: [string, unknown][] = Object.entries(parameters);
  for (const [name, value] of entries) if (value !== undefined) query.append(name, toText(value));
  return query;
}

/**
 * Booleans and structures are JSON. The service accepts plain decimals with at most 15 fraction digits; `String` can
 * return an exponent or 17 digits.
 */
function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "number") return JSON.stringify(value);
  const text = String(value);
  return /^-?\d+(\.\d{1,15})?$/.test(text) ? text : value.toFixed(15);
}
