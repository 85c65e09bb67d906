import { LIMITS, type SnapParameters } from "@snap/protocol";
import type { Clock } from "../ports/clock.ts";
import type { RenderedFile } from "../ports/renderer.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import { linkedCopy } from "./links.ts";
import { toStoredRendering, type RenderingCache } from "./rendering-cache.ts";
import type { LedRender } from "./share.ts";

export interface StoreRequest {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  readonly file: RenderedFile;
  /** Ends with the rendering being kept. */
  readonly led: LedRender;
  /** Whether a link has to lead to what was asked for with `cache: false`. */
  readonly linked: (fresh: StoredRendering) => boolean;
}

/** Keeps a rendering under its key; one that was asked for with `cache: false` for its link alone, if it is to have one. */
export async function store(
  { cache, clock }: { readonly cache: RenderingCache; readonly clock: Clock },
  { key, parameters, file, led, linked }: StoreRequest,
): Promise<StoredRendering> {
  const ttlSeconds = parameters.cacheTtl ?? LIMITS.cacheTtlDefaultSeconds;
  const fresh = toStoredRendering(file, { now: clock.now(), ttlSeconds });
  if (parameters.cache) {
    await led.publish(fresh, cache.store(key, fresh));
    return fresh;
  }
  if (!linked(fresh)) return fresh;
  const copy = linkedCopy(parameters, fresh);
  await cache.store({ ...key, key: copy.key }, copy.rendering);
  return copy.rendering;
}
