import type { Capture, RenderingLink } from "@snap/engine";
import type { RenderingDocument } from "@snap/protocol";

/** The metadata of a rendering that responses and tool results have in common. */
type RenderingFacts = Pick<
  RenderingDocument,
  | "etag"
  | "content_type"
  | "size"
  | "cache"
  | "target_status"
  | "expires_at"
  | "credit_cost"
  | "signed_url"
  | "stored_location"
> & { notes: string[] };

export function factsOf(
  {
    rendering,
    cache,
    creditCost,
    storedLocation,
  }: Pick<Capture, "rendering" | "cache" | "creditCost" | "storedLocation">,
  link: RenderingLink | null,
): RenderingFacts {
  const endsAt = link?.expiresAt ?? (cache === "bypass" ? null : rendering.expiresAt);
  return {
    etag: rendering.etag,
    content_type: rendering.contentType,
    size: rendering.bytes.byteLength,
    cache: cache === "bypass" ? null : cache === "hit" ? "HIT" : "MISS",
    target_status: rendering.targetStatus,
    expires_at: endsAt === null ? null : new Date(endsAt).toISOString(),
    credit_cost: creditCost,
    signed_url: link?.url ?? null,
    notes: [...rendering.notes],
    stored_location: storedLocation,
  };
}
