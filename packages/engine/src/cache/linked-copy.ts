import { LIMITS } from "@snap/protocol";
import { cacheKey } from "../parameters/cache-key.ts";
import type { SnapParameters } from "../parameters/schemas.ts";
import type { StoredRendering } from "../ports/renderings.ts";

/** By up to so much a copy that is kept for its link alone lives shorter than others. */
const LIFE_SPREAD_SECONDS = 43_200;

/**
 * The copy that a link leads to where `cache: false` was asked for: it must not become the answer to
 * those who ask for the same, nor the other way round. A lifetime is a part of what names a copy
 * (decisions.md, cache key), so this one is kept under a lifetime that follows from what is in it.
 */
export function linkedCopy(
  parameters: SnapParameters,
  rendering: StoredRendering,
): { readonly key: string; readonly rendering: StoredRendering } {
  const cacheTtl = linkedLifeSeconds(rendering.etag);
  const expiresAt = rendering.storedAt + cacheTtl * 1000;
  return { key: cacheKey({ ...parameters, cache: true, cacheTtl }), rendering: { ...rendering, expiresAt } };
}

/** The `cacheTtl` under which the copy of an entity tag is found. */
export function linkedLifeSeconds(etag: string): number {
  const drawn = Number.parseInt(etag.slice(1, 9), 16) % LIFE_SPREAD_SECONDS;
  return LIMITS.cacheTtlDefaultSeconds - 1 - drawn;
}
