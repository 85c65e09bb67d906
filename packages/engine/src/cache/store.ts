import { LIMITS, type SnapParameters } from "@snap/protocol";
import type { CacheKey } from "../parameters/cache-key.ts";
import type { Clock } from "../ports/clock.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import { linkedEntry } from "./links.ts";
import { toStoredRendering, type RenderingCache } from "./rendering-cache.ts";
import type { LedRender } from "./share.ts";

export interface StoreParts {
  readonly cache: RenderingCache;
  readonly cacheKey: CacheKey;
  readonly clock: Clock;
}

export interface StoreRequest {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  readonly file: RenderedFile;
  /** The render to publish when the rendering is stored. */
  readonly led: LedRender;
  /** Returns whether a rendering with `cache: false` needs a link. */
  readonly linked: (fresh: StoredRendering) => boolean;
}

/** Stores a rendering. With `cache: false` it is stored only if it needs a link, and only for that link. */
export async function store(
  { cache, cacheKey, clock }: StoreParts,
  { key, parameters, file, led, linked }: StoreRequest,
): Promise<StoredRendering> {
  const ttlSeconds = parameters.cacheTtl ?? LIMITS.cacheTtlDefaultSeconds;
  const fresh = await toStoredRendering(file, { now: clock.now(), ttlSeconds });
  if (parameters.cache) {
    await led.publish(fresh, cache.store(key, fresh));
    return fresh;
  }
  if (!linked(fresh)) return fresh;
  const entry = linkedEntry(cacheKey, { parameters, rendering: fresh });
  await cache.store({ ...key, key: entry.key }, entry.rendering);
  return entry.rendering;
}
