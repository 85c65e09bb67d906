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
  /** The render to publish when the rendering is stored; `null` with `cache: false`. */
  readonly own: OwnRender | null;
  /** Returns whether a rendering with `cache: false` needs a link. */
  readonly linked: (fresh: StoredRendering) => boolean;
  /** Throws if the caller cannot use a rendering that is not cached. Requests that joined its render then don't get it. */
  readonly acceptUncached: ((fresh: StoredRendering) => void) | undefined;
}

/** A new rendering; one that does not fit the cache is not cached. */
export interface Stored {
  readonly rendering: StoredRendering;
  readonly isCached: boolean;
}

/** Caches a rendering. With `cache: false` it is stored only if it needs a link, and only for that link. */
export async function store(
  { cache, cacheKey }: StoreDependencies,
  { key, parameters, fresh, own, linked, acceptUncached }: StoreRequest,
): Promise<Stored> {
  const checked = async (storing: Promise<boolean>): Promise<boolean> => {
    const isCached = await storing;
    if (!isCached) acceptUncached?.(fresh);
    return isCached;
  };
  if (own !== null)
    return { rendering: fresh, isCached: await own.publish(fresh, checked(cache.store(key, fresh))) };
  if (!linked(fresh)) return { rendering: fresh, isCached: await checked(Promise.resolve(false)) };
  const entry = linkedEntry(cacheKey, { parameters, rendering: fresh });
  const isCached = await checked(cache.store({ ...key, key: entry.key }, entry.rendering));
  return { rendering: entry.rendering, isCached };
}
