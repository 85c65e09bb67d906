import { buildSignedUrl, toQuery } from "@snap/protocol";
import type { Capture } from "../capture.ts";
import type { Principal } from "../ports/tokens.ts";
import type { Seal } from "../tokens/seal.ts";
import { linkedLifeSeconds } from "./linked-copy.ts";

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
