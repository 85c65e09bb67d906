import { DOCUMENT_ORIGIN } from "@snap/protocol";
import type { DocumentFile } from "../ports/documents.ts";

/** One file as it was sent. */
export interface SentFile {
  readonly path: string;
  readonly bytes: Uint8Array | string;
}

/** The content of a document: one page, or the files of one with an `index.html` or `index.md`. */
export type DocumentContent =
  | { readonly html: Uint8Array | string }
  | { readonly markdown: Uint8Array | string }
  | {
      readonly files: readonly SentFile[];
      /** How they were sent; `multipart/form-data` by default. */
      readonly contentType?: "application/zip" | "multipart/form-data";
    };

/** A document in memory. */
export interface Document {
  /** SHA-256 of the content as it was sent: 64 lowercase hex digits. */
  readonly id: string;
  readonly url: string;
  /** Media type of the upload. */
  readonly contentType: string;
  /** What is served to the page. `index.html` always exists. */
  readonly files: readonly DocumentFile[];
}

/**
 * Builds a document.
 *
 * @throws SnapError `validation_failed` or `payload_too_large`; `errors` names the file at fault, or `body`.
 */
export async function createDocument(_content: DocumentContent): Promise<Document> {
  throw new Error("not implemented yet");
}

/** Below its origin, the URL of a document has only its id. */
const PATHNAME = /^\/([0-9a-f]{64})\/?$/;

/**
 * Returns the id of a document if this is its URL; `null` for any other URL, also below the origin of documents.
 *
 * @example
 * documentIdOf("https://example.com/"); // null
 */
export function documentIdOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed?.origin === DOCUMENT_ORIGIN ? (PATHNAME.exec(parsed.pathname)?.[1] ?? null) : null;
}
