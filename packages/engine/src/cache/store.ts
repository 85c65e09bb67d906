import type { SnapParameters } from "@snap/protocol";
import type { CacheKey } from "../parameters/cache-key.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import { linkedEntry } from "./links.ts";
import type { RenderingCache } from "./rendering-cache.ts";
import type { LedRender } from "./share.ts";

export interface StoreDependencies {
  readonly cache: RenderingCache;
  readonly cacheKey: CacheKey;
}

export interface StoreRequest {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  readonly fresh: StoredRendering;
  /** The render to publish when the rendering is stored; `null` with `cache: false`. */
  readonly led: LedRender | null;
  /** Returns whether a rendering with `cache: false` needs a link. */
  readonly linked: (fresh: StoredRendering) => boolean;
}

/** A new rendering; one that does not fit the cache is not cached. */
export interface Stored {
  readonly rendering: StoredRendering;
  readonly isCached: boolean;
}

/** Caches a rendering. With `cache: false` it is stored only if it needs a link, and only for that link. */
export async function store(
  { cache, cacheKey }: StoreDependencies,
  { key, parameters, fresh, led, linked }: StoreRequest,
): Promise<Stored> {
  if (led !== null) return { rendering: fresh, isCached: await led.publish(fresh, cache.store(key, fresh)) };
  if (!linked(fresh)) return { rendering: fresh, isCached: false };
  const entry = linkedEntry(cacheKey, { parameters, rendering: fresh });
  const isCached = await cache.store({ ...key, key: entry.key }, entry.rendering);
  return { rendering: entry.rendering, isCached };
}
