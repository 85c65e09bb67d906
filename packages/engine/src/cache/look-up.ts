import type { SnapParameters } from "@snap/protocol";
import { WAIT_CAPPED } from "../ports/renderer.ts";
import type { RenderingKey, StoredRendering } from "../ports/renderings.ts";
import type { RenderingCache } from "./rendering-cache.ts";

/** What is kept of a request, if it may be answered with that. */
export async function lookUp(
  cache: RenderingCache,
  { key, parameters }: { readonly key: RenderingKey; readonly parameters: SnapParameters },
): Promise<StoredRendering | null> {
  const kept = parameters.cache ? await cache.lookUp(key) : null;
  return kept !== null && suits(kept, parameters) ? kept : null;
}

/** A `waitUntil` that was sent is strict (docs/decisions/caching.md): a capture cut short is none that was asked for. */
export function suits(kept: StoredRendering, parameters: SnapParameters): boolean {
  return !(waitsStrictly(parameters) && kept.notes.includes(WAIT_CAPPED));
}

export function waitsStrictly(parameters: SnapParameters): boolean {
  return !parameters.pdf && parameters.waitUntil !== undefined;
}
