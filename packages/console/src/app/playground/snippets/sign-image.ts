import { buildSignedUrl, checkSignable, fitsSignedUrl, toQuery } from "@snap/protocol";
import type { Parameters } from "../form.ts";
import { escapeAttribute } from "./literals.ts";

interface ImageSigner {
  readonly baseUrl: string;
  readonly tokenId: number;
  readonly signingSecret: string;
  /** Unix timestamp in seconds; `null` for a URL that works until the token stops working. */
  readonly expires: number | null;
}

/** Returns why these parameters cannot be in a signed URL; `null` if they can. */
export function explainUnsignable(parameters: Parameters): string | null {
  const failure = checkSignable(parameters);
  if (failure !== null) return `${failure.message}.`;
  if (parameters["url"] === undefined) return "Signed URLs require url; they cannot render HTML or Markdown.";
  return fitsSignedUrl(parameters) ? null : "The parameters are too long for a URL.";
}

/** Returns HTML that needs no token: an image, or a link to a PDF. */
export function imageHtml(parameters: Parameters, { expires, ...signer }: ImageSigner): string {
  const signed = buildSignedUrl(toQuery(parameters), { ...signer, expires: expires ?? undefined });
  const url = escapeAttribute(signed);
  return parameters["pdf"] === true ? `<a href="${url}">PDF</a>` : `<img src="${url}" alt="" />`;
}
