import { effectiveDefault, modeOf, PARAMETERS, type ParameterRow, type SnapParameters } from "@snap/protocol";
import { createHash } from "node:crypto";

/**
 * The digest that names a rendering, within an account: of every parameter after validation except `cache`, and except
 * values that equal the default. So a parameter that is added to the table changes no existing key. 64 lowercase hex
 * digits.
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
