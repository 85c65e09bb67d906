import { createHash } from "node:crypto";
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
export async function createDocument(content: DocumentContent): Promise<Document> {
  const id = documentId(content);
  const text =
    "html" in content ? content.html : "markdown" in content ? `<pre>${content.markdown}</pre>` : "";
  const bytes = typeof text === "string" ? Buffer.from(text) : text;
  const files = [{ path: "index.html", contentType: "text/html; charset=utf-8", bytes }];
  return { id, url: documentUrl(id), contentType: "text/html", files };
}

/** Returns the id of a document with this content. */
export function documentId(content: DocumentContent): string {
  return createHash("sha256").update(JSON.stringify(content)).digest("hex");
}

/** Returns the URL of the document with this id. */
export function documentUrl(id: string): string {
  return `${DOCUMENT_ORIGIN}/${id}/`;
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
