/**
 * Writes valid parameters as the query of a request, in their order. What is `undefined` is left out.
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

/** A query holds plain decimals of at most 15 digits behind the point: no exponent, no 17 digits. */
function toText(value: unknown): string {
  const text = String(value);
  return typeof value === "number" && !/^-?\d+(\.\d{1,15})?$/.test(text) ? value.toFixed(15) : text;
}
