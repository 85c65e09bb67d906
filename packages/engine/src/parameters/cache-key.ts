import { effectiveDefault, modeOf, PARAMETERS, type ParameterRow, type SnapParameters } from "@snap/protocol";
import { createHash } from "node:crypto";

/**
 * Returns the cache key of a rendering within an account: a SHA-256 in lowercase hex. It covers the validated
 * parameters except `cache` and those with default values, so a new parameter changes no existing key.
 */
export function cacheKey(parameters: SnapParameters): string {
  const rows: Readonly<Record<string, ParameterRow>> = PARAMETERS[modeOf(parameters)];
  const isDefault = (name: string, value: unknown): boolean => {
    const row = rows[name];
    return row !== undefined && value === effectiveDefault(row);
  };
  const entries = Object.entries(parameters)
    .filter(([name, value]) => name !== "cache" && value !== undefined && !isDefault(name, value))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex");
}
