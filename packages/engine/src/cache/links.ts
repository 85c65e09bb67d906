import {
  buildSignedUrl,
  fitsSignedUrl,
  LIMITS,
  secretsIn,
  toQuery,
  withoutDelivery,
  type SnapParameters,
} from "@snap/protocol";
import type { Capture } from "../capture.ts";
import type { CacheKey } from "../parameters/cache-key.ts";
import type { StoredRendering } from "../ports/renderings.ts";
import type { Principal } from "../ports/tokens.ts";
import { requireSignable } from "../tokens/require-signable.ts";
import type { Seal } from "../tokens/seal.ts";

/** Range of lifetimes for renderings that are cached only for their link. */
const TTL_SPREAD_SECONDS = 43_200;

/**
 * Returns the cache entry for a `cache: false` rendering's link. Other requests must not hit it, and its link must not
 * return their renderings. The cache key covers `cacheTtl`, so a lifetime derived from the content sets it apart from
 * all requests that do not happen to send the same lifetime.
 */
export function linkedEntry(
  cacheKey: CacheKey,
  { parameters, rendering }: { readonly parameters: SnapParameters; readonly rendering: StoredRendering },
): { readonly key: string; readonly rendering: StoredRendering } {
  const cacheTtl = linkedTtlSeconds(rendering.etag);
  const expiresAt = rendering.storedAt + cacheTtl * 1000;
  return { key: cacheKey({ ...parameters, cache: true, cacheTtl }), rendering: { ...rendering, expiresAt } };
}

/** Derives a `cacheTtl` from an entity tag. */
function linkedTtlSeconds(etag: string): number {
  const offset = Number.parseInt(etag.slice(1, 9), 16) % TTL_SPREAD_SECONDS;
  return LIMITS.cacheTtlDefaultSeconds - 1 - offset;
}

/** Returns whether a signed URL can request a rendering: it contains no secrets, and servers accept its length. */
export function isLinkable(parameters: Readonly<Record<string, unknown>>): boolean {
  if (secretsIn(parameters).length > 0) return false;
  try {
    return fitsSignedUrl(withoutDelivery(parameters));
  } catch {
    return false; // an invalid value that is nested too deeply for JSON
  }
}

/** Requests a link with which anyone can fetch a capture's rendering. */
export interface LinkRequest {
  /** The caller of `capture`; its token signs the link. */
  readonly principal: Principal;
  /** The parameters of the `capture`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The result of that `capture`. */
  readonly capture: Capture;
  /** Base URL of the API, ending in `/v1`. */
  readonly baseUrl: string;
}

export interface RenderingLink {
  readonly url: string;
  /** When the link expires. */
  readonly expiresAt: number;
}

/**
 * Signs a URL for a cached rendering. It expires with the cache entry or the token, whichever comes first. Returns
 * `null` if the rendering is not cached, because its link would render again, for another credit.
 *
 * @throws SnapError `validation_failed` if a parameter is secret.
 */
export function linkRendering(
  seal: Seal,
  { principal: { token }, parameters, capture, baseUrl }: LinkRequest,
): RenderingLink | null {
  const { isCached, cache, rendering } = capture;
  if (!isCached) return null;
  // the URL of a document identifies its content
  const page: LinkRequest["parameters"] = { ...parameters, url: capture.url };
  const { cache: _, ...sent } = withoutDelivery(page);
  requireSignable(sent);
  const query = cache === "bypass" ? { ...sent, cacheTtl: linkedTtlSeconds(rendering.etag) } : sent;
  const expires = Math.floor(Math.min(rendering.expiresAt, token.expiresAt ?? Infinity) / 1000);
  const signingSecret = seal.open(token.sealedSigningSecret);
  const url = buildSignedUrl(toQuery(query), { baseUrl, tokenId: token.id, signingSecret, expires });
  return { url, expiresAt: expires * 1000 };
}
