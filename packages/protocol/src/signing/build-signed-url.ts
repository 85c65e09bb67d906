import { canonicalQuery } from "./canonical-query.ts";
import { signQuery } from "./sign-query.ts";

/** Parameters of a signed URL in addition to those of the rendering. */
export const SIGNATURE_PARAMETERS = ["tokenId", "expires", "signature"] as const;

/** The base URL, signing token and expiry of a signed URL. */
export interface UrlSigner {
  /** Base URL of the API, without a trailing slash: it ends in `/v1`. */
  readonly baseUrl: string;
  /** Id of the token: the number before the `|` in the bearer token. */
  readonly tokenId: number;
  readonly signingSecret: string;
  /** Unix seconds when the URL expires. Without it, the URL works until the signing secret stops working. */
  readonly expires?: number | undefined;
}

/**
 * Returns a signed URL for `GET /snap/signed`. It contains the query in the canonical form that was signed, so it does
 * not depend on a serializer's encoding, and the same arguments return the same URL.
 *
 * @param parameters The query of the rendering.
 * @example
 * buildSignedUrl([["url", "https://example.com/"]], { baseUrl: "https://snap.example.com/v1", tokenId: 7, signingSecret });
 * // "https://snap.example.com/v1/snap/signed?tokenId=7&url=https%3A%2F%2Fexample.com%2F&signature=…"
 */
export function buildSignedUrl(
  parameters: Iterable<readonly [name: string, value: string]>,
  { baseUrl, tokenId, signingSecret, expires }: UrlSigner,
): string {
  const pairs: (readonly [string, string])[] = [...parameters, ["tokenId", String(tokenId)]];
  if (expires !== undefined) pairs.push(["expires", String(expires)]);
  return `${baseUrl}/snap/signed?${canonicalQuery(pairs)}&signature=${signQuery(pairs, signingSecret)}`;
}
