import { DOCUMENT_ORIGIN } from "./document-upload.ts";
import { parseTargetUrl } from "./parameters/target-url.ts";

/** Returns the URL of the document with this id. */
export function documentUrl(id: string): string {
  return `${DOCUMENT_ORIGIN}/${id}/`;
}

/** After the origin, a document's URL contains only its id. */
const PATHNAME = /^\/([0-9a-f]{64})\/?$/;

/**
 * Returns the id of the document with this URL, ignoring the query and fragment; `null` for any other URL,
 * including other paths on `DOCUMENT_ORIGIN`.
 *
 * @example
 * documentIdOf("https://example.com/"); // null
 */
export function documentIdOf(url: string): string | null {
  const parsed = parseTargetUrl(url);
  return parsed?.origin === DOCUMENT_ORIGIN ? (PATHNAME.exec(parsed.pathname)?.[1] ?? null) : null;
}
