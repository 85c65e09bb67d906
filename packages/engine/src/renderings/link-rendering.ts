import { buildSignedUrl, toQuery } from "@snap/protocol";
import type { Capture } from "../capture.ts";
import { cacheKey } from "../parameters/cache-key.ts";
import { parseParameters } from "../parameters/parse.ts";
import type { Principal } from "../tokens/authenticate.ts";
import type { Seal } from "../tokens/seal.ts";
import type { RenderingCache } from "./rendering-cache.ts";

/** A rendering to be fetched by whoever has the link. */
export interface LinkRequest {
  /** Who captured it; the link is signed with their token. */
  readonly principal: Principal;
  /** What `capture` was asked for. */
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

export interface LinkParts {
  readonly cache: RenderingCache;
  readonly seal: Seal;
}

/**
 * Makes a signed URL of a rendering, without a credit. It ends with the kept copy, or with the token if
 * that comes first. A link needs a copy: a rendering that was asked for with `cache: false` is kept
 * from now on, for as long as one that says nothing.
 */
export async function linkRendering(
  { cache, seal }: LinkParts,
  { principal, parameters, capture, baseUrl }: LinkRequest,
): Promise<RenderingLink> {
  const { account, token } = principal;
  const { cache: _, ...kept } = parameters;
  if (capture.cache === "bypass")
    await cache.keep({ accountId: account.id, key: cacheKey(parseParameters(kept)) }, capture.rendering);
  const endsAt = Math.min(capture.rendering.expiresAt, token.expiresAt ?? Infinity);
  // What ends within this second can't be written.
  const expires = Math.max(Math.floor(endsAt / 1000), Math.floor(capture.answeredAt / 1000) + 1);
  const signingSecret = seal.open(token.sealedSigningSecret);
  const url = buildSignedUrl(toQuery(kept), { baseUrl, tokenId: token.id, signingSecret, expires });
  return { url, expiresAt: expires * 1000 };
}
