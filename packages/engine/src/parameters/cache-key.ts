import { SECRET_NAMES, significantEntries, withoutDelivery, type SnapParameters } from "@snap/protocol";
import { createHash } from "node:crypto";
import type { Seal } from "../tokens/seal.ts";

/** Returns a rendering's cache key within an account. */
export type CacheKey = (parameters: SnapParameters) => string;

/**
 * Creates a function that returns cache keys: SHA-256 in lowercase hex. A key covers the validated parameters except
 * `cache`, those that only deliver the rendering, and those with default values, so a new parameter changes no
 * existing key. It covers secrets only as keyed digests, so nobody can find them by trying values.
 */
export function createCacheKey({ digest }: Pick<Seal, "digest">): CacheKey {
  return (parameters) => keyOf(parameters, digest);
}

function keyOf(parameters: SnapParameters, digest: Seal["digest"]): string {
  const entries = significantEntries(withoutDelivery(parameters)).map(
    ([name, value]) => [name, SECRET_NAMES.has(name) ? digest(JSON.stringify(value)) : value] as const,
  );
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex");
}
