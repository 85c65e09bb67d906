import type { Capture, RenderingLink } from "@snap/engine";
import type { RenderingDocument } from "@snap/protocol";

/** The metadata of a rendering that responses and tool results share. */
type RenderingFacts = Omit<
  RenderingDocument,
  "width" | "height" | "pages" | "title" | "final_url" | "notes"
> & { notes: string[] };

/** The cache status, as in `X-Cache`; `null` if the cache was not used. */
export function cacheStatus(cache: Capture["cache"] | null): "HIT" | "MISS" | null {
  if (cache === "bypass" || cache === null) return null;
  return cache === "hit" ? "HIT" : "MISS";
}

export function factsOf(
  { rendering, cache, isCached, creditCost, storedLocation }: Capture,
  link: RenderingLink | null,
): RenderingFacts {
  const expiresAt = link?.expiresAt ?? (isCached ? rendering.expiresAt : null);
  return {
    etag: rendering.etag,
    content_type: rendering.contentType,
    size: rendering.bytes.byteLength,
    cache: cacheStatus(cache),
    target_status: rendering.targetStatus,
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    credit_cost: creditCost,
    signed_url: link?.url ?? null,
    notes: [...rendering.notes],
    stored_location: storedLocation,
  };
}
