import { buildSignedUrl, LIMITS, toQuery, type SnapParameters } from "@snap/protocol";
import type { Capture } from "../capture.ts";
import { cacheKey } from "../parameters/cache-key.ts";
import type { StoredRendering } from "../ports/renderings.ts";
import type { Principal } from "../ports/tokens.ts";
import type { Seal } from "../tokens/seal.ts";

/** By up to so much a copy that is kept for its link alone lives shorter than others. */
const LIFE_SPREAD_SECONDS = 43_200;

/**
 * The copy that a link leads to where `cache: false` was asked for: it must not become the answer to
 * those who ask for the same, nor the other way round. A lifetime is a part of what names a copy
 * (docs/decisions/caching.md), so this one is kept under a lifetime that follows from what is in it.
 */
export function linkedCopy(
  parameters: SnapParameters,
  rendering: StoredRendering,
): { readonly key: string; readonly rendering: StoredRendering } {
  const cacheTtl = linkedLifeSeconds(rendering.etag);
  const expiresAt = rendering.storedAt + cacheTtl * 1000;
  return { key: cacheKey({ ...parameters, cache: true, cacheTtl }), rendering: { ...rendering, expiresAt } };
}

/** The `cacheTtl` under which the copy of an entity tag is found. */
function linkedLifeSeconds(etag: string): number {
  const drawn = Number.parseInt(etag.slice(1, 9), 16) % LIFE_SPREAD_SECONDS;
  return LIMITS.cacheTtlDefaultSeconds - 1 - drawn;
}

/** A rendering to be fetched by whoever has the link. */
export interface LinkRequest {
  /** Who captured it; the link is signed with their token. */
  readonly principal: Principal;
  /** What `capture` was asked for, with a `linked` that said yes. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** What it answered. */
  readonly capture: Capture;
  /** Base address of the API, which ends in `/v1`. */
  readonly baseUrl: string;
}

export interface RenderingLink {
  readonly url: string;
  /** Instant from which it no longer works. */
  readonly expiresAt: number;
}

/** Signs a URL that leads to the copy of a rendering. It ends with the copy, or with the token if that comes first. */
export function linkRendering(
  seal: Seal,
  { principal: { token }, parameters, capture: { cache, rendering }, baseUrl }: LinkRequest,
): RenderingLink {
  const { cache: _, ...sent } = parameters;
  const named = cache === "bypass" ? { ...sent, cacheTtl: linkedLifeSeconds(rendering.etag) } : sent;
  const expires = Math.floor(Math.min(rendering.expiresAt, token.expiresAt ?? Infinity) / 1000);
  const signingSecret = seal.open(token.sealedSigningSecret);
  const url = buildSignedUrl(toQuery(named), { baseUrl, tokenId: token.id, signingSecret, expires });
  return { url, expiresAt: expires * 1000 };
}
