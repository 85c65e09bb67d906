import { modeOf, PARAMETERS, type ParameterField } from "@snap/protocol";
import { createHash } from "node:crypto";
import type { SnapParameters } from "./schemas.ts";

type Table = Readonly<Record<"screenshot" | "pdf", Readonly<Record<string, ParameterField>>>>;

/**
 * The digest that names a rendering: of every parameter after parsing, without `cache` and without those that are
 * what they would be if they weren't sent (decisions.md, cache key). So a parameter that is added to the table later
 * changes no key. 64 lowercase hex digits.
 */
export function cacheKey(parameters: SnapParameters, table: Table = PARAMETERS): string {
  const fields = table[modeOf(parameters)];
  const entries = Object.entries(parameters)
    .filter(([name, value]) => name !== "cache" && value !== undefined && value !== unsent(fields[name]))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex");
}

/** What holds where a parameter isn't sent; `undefined` where nothing does. */
function unsent(field: ParameterField | undefined): unknown {
  if (field === undefined) return undefined;
  return field.default ?? ("implied" in field ? field.implied : undefined);
}
