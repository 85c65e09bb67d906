import type { Capture, RenderingLink } from "@snap/engine";
import type { RenderingDocument } from "@snap/protocol";

/** The metadata of a rendering that responses and tool results have in common. */
type RenderingFacts = Omit<
  RenderingDocument,
  "width" | "height" | "pages" | "title" | "final_url" | "notes"
> & { notes: string[] };

/** How responses name the cache's part in a capture; `null` if it had none. */
export function cacheName(cache: Capture["cache"] | null): "HIT" | "MISS" | null {
  if (cache === "bypass" || cache === null) return null;
  return cache === "hit" ? "HIT" : "MISS";
}

export function factsOf(
  { rendering, cache, isCached, creditCost, storedLocation }: Capture,
  link: RenderingLink | null,
): RenderingFacts {
  const endsAt = link?.expiresAt ?? (isCached ? rendering.expiresAt : null);
  return {
    etag: rendering.etag,
    content_type: rendering.contentType,
    size: rendering.bytes.byteLength,
    cache: cacheName(cache),
    target_status: rendering.targetStatus,
    expires_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    credit_cost: creditCost,
    signed_url: link?.url ?? null,
    notes: [...rendering.notes],
    stored_location: storedLocation,
  };
}
