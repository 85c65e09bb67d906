import type { SnapParameters } from "@snap/protocol";
import { waitsStrictly } from "../parameters/waits.ts";
import { WAIT_CAPPED } from "../ports/renderer.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import type { RenderingCache } from "./rendering-cache.ts";

export interface LookupRequest {
  readonly key: RenderingKey;
  readonly parameters: SnapParameters;
  /** Returns whether the caller already has the rendering and needs no bytes. */
  readonly holds?: ((etag: string) => boolean) | undefined;
}

/** Returns a request's cached rendering, if there is a suitable one. */
export async function lookUp(
  cache: RenderingCache,
  { key, parameters, holds }: LookupRequest,
): Promise<StoredRendering | null> {
  const cached = parameters.cache ? await cache.lookUp(key, holds) : null;
  return cached !== null && satisfies(cached, parameters) ? cached : null;
}

/** Returns whether the rendering's wait was not capped, or the request accepts a capped one. */
export function satisfies(cached: StoredRendering, parameters: SnapParameters): boolean {
  return !(waitsStrictly(parameters) && cached.notes.includes(WAIT_CAPPED));
}
