import { parseTargetUrl } from "./parameters/target-url.ts";

/**
 * The origin of document URLs. The name never resolves (RFC 6761, 6.4): only the service responds to it, over the
 * browser's DevTools connection.
 */
export const DOCUMENT_ORIGIN = "https://documents.snap.invalid";

/** The content types of an upload. */
export const DOCUMENT_TYPES = {
  html: "text/html",
  markdown: "text/markdown",
  zip: "application/zip",
  multipart: "multipart/form-data",
} as const;

/** Returns the URL of the document with this id. */
export function documentUrl(id: string): string {
  return `${DOCUMENT_ORIGIN}/${id}/`;
}

/** After the origin, a document's URL contains only its id. */
const PATHNAME = /^\/([0-9a-f]{64})\/?$/;

/**
 * Returns the id of the document with this URL, whatever its query and fragment; `null` for any other URL,
 * including other paths on the documents' origin.
 *
 * @example
 * documentIdOf("https://example.com/"); // null
 */
export function documentIdOf(url: string): string | null {
  const parsed = parseTargetUrl(url);
  return parsed?.origin === DOCUMENT_ORIGIN ? (PATHNAME.exec(parsed.pathname)?.[1] ?? null) : null;
}
