import { createHash } from "node:crypto";
import { LIMITS } from "@snap/protocol";
import type { SnapParameters } from "./schemas.ts";

/**
 * The digest that names a rendering: of every parameter after parsing, defaults filled in, without
 * `cache` (decisions.md, cache key). 64 lowercase hex digits.
 */
export function cacheKey(parameters: SnapParameters): string {
  const { cache: _, ...sent } = parameters;
  const keyed = {
    ...sent,
    cacheTtl: sent.cacheTtl ?? LIMITS.cacheTtlDefaultSeconds,
    ...(sent.pdf ? {} : { waitUntil: sent.waitUntil ?? "networkidle2" }),
  };
  const entries = Object.entries(keyed)
    .filter(([, value]) => value !== undefined)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex");
}
