import { sendsDefault } from "./by-mode.ts";

/**
 * Returns the parameters that tell one request from another, sorted by name: neither `cache` nor default values.
 *
 * @example
 * significantEntries({ url: "https://example.com/", scale: 1, fullPage: true });
 * // [["fullPage", true], ["url", "https://example.com/"]]
 */
export function significantEntries(parameters: object): readonly (readonly [string, unknown])[] {
  const sent: Readonly<Record<string, unknown>> = { ...parameters };
  return Object.entries(sent)
    .filter(([name, value]) => name !== "cache" && value !== undefined && !sendsDefault(sent, name))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}
