import { buildSignedUrl, secretsIn, toQuery, type RenderInput, type UrlSigner } from "@snap/protocol";

/** Returns a signed URL of a rendering; `null` if a parameter is secret. */
export function signedLink(input: RenderInput, signer: UrlSigner): string | null {
  return secretsIn(input).length > 0 ? null : buildSignedUrl(toQuery(input), signer);
}
