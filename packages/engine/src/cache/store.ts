import type { SnapParameters } from "@snap/protocol";
import type { CacheKey } from "../parameters/cache-key.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import { linkedEntry } from "./links.ts";
import type { RenderingCache } from "./rendering-cache.ts";
import type { OwnRender } from "./share.ts";

export interface StoreDependencies {
  readonly cache: RenderingCache;
  readonly cacheKey: CacheKey;
}

export interface StoreRequest {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  readonly fresh: StoredRendering;
  /** The render that other requests may have joined; `null` with `cache: false`. */
  readonly own: OwnRender | null;
  /** Returns whether a rendering with `cache: false` needs a link. */
  readonly linked: (fresh: StoredRendering) => boolean;
  /** Throws if the caller cannot use an uncached rendering. A request that joined the render then leads a new one. */
  readonly acceptUncached: ((fresh: StoredRendering) => void) | undefined;
}

/** A new rendering. Not cached if it does not fit in the cache, or with `cache: false` if it needs no link. */
export interface StoreResult {
  readonly rendering: StoredRendering;
  readonly isCached: boolean;
}

/** Caches a rendering. With `cache: false` it is stored only if it needs a link, and only for that link. */
export async function store(
  { cache, cacheKey }: StoreDependencies,
  { key, parameters, fresh, own, linked, acceptUncached }: StoreRequest,
): Promise<StoreResult> {
  const reportUncached = async (storing: Promise<boolean>): Promise<boolean> => {
    const isCached = await storing;
    if (!isCached) acceptUncached?.(fresh);
    return isCached;
  };
  if (own !== null)
    return { rendering: fresh, isCached: await own.publish(fresh, reportUncached(cache.store(key, fresh))) };
  if (!linked(fresh)) return { rendering: fresh, isCached: await reportUncached(Promise.resolve(false)) };
  const entry = linkedEntry(cacheKey, { parameters, rendering: fresh });
  const isCached = await reportUncached(cache.store({ ...key, key: entry.key }, entry.rendering));
  return { rendering: entry.rendering, isCached };
}
