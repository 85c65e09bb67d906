import { DOCUMENT_TYPES, documentUrl, HTML_PAGE, MARKDOWN_PAGE } from "@snap/protocol";
import { sha256InSlices } from "../hash-in-slices.ts";
import type { DocumentFile } from "../ports/documents.ts";
import { checkFiles, UnpackedSize, type CheckedFile, type SentFile } from "./check-files.ts";
import { contentTypeOf } from "./content-types.ts";
import { markdownToHtml, type MarkdownConversion } from "./markdown.ts";

/** A document's content: one page, or a page's files with an `index.html` or `index.md`. */
export type DocumentContent =
  | { readonly html: Uint8Array | string }
  | { readonly markdown: Uint8Array | string }
  | {
      readonly files: readonly SentFile[];
      /** Content type of the upload; `multipart/form-data` by default. */
      readonly contentType?: "application/zip" | "multipart/form-data";
    };

/** A document in memory. */
export interface Document {
  /** Digest of the files as they were sent, with their paths: 64 lowercase hex digits. */
  readonly id: string;
  readonly url: string;
  /** Media type of the upload. */
  readonly contentType: string;
  /** The files to serve to the page. `index.html` always exists; it replaces `index.md`. */
  readonly files: readonly DocumentFile[];
}

/** A checked document with its id. Its files are built when they are needed. */
export interface SentDocument extends Omit<Document, "files"> {
  /** Builds the files for an account, unless `signal` aborts. @throws SnapError as `createDocument` does. */
  readonly buildFiles: (accountId: string, signal?: AbortSignal) => Promise<Document["files"]>;
}

/**
 * Builds a document. Identical content has the same id, however it is sent.
 *
 * @param accountId - The account that the document belongs to; its Markdown files are converted one at a time.
 * @throws SnapError `validation_failed` or `payload_too_large`; `errors` names the offending file, or `body`
 * for content that is not a list of files and for a list without a page or with too many files.
 *
 * @example
 * const { url } = await createDocument({ markdown: "# Report\n\nAll is well." });
 */
export async function createDocument(content: DocumentContent, accountId = ""): Promise<Document> {
  const { buildFiles, ...document } = await identifyDocument(content, "files" in content ? null : "body");
  return { ...document, files: await buildFiles(accountId) };
}

/**
 * Checks and identifies content without converting it.
 *
 * @param label - The content's name in `errors`; `null` for a list of files.
 * @throws SnapError as `createDocument` does.
 */
async function identifyDocument(content: DocumentContent, label: string | null): Promise<SentDocument> {
  const { sent, contentType } = normalize(content);
  const checked = checkFiles(sent, { label });
  const id = await sha256InSlices(digestedParts(checked));
  return {
    id,
    url: documentUrl(id),
    contentType,
    buildFiles: (accountId, signal) => buildServedFiles(checked, { label, accountId, signal }),
  };
}

/** Identifies a capture's content. The key in `errors` is the parameter (`html` or `markdown`) or the file. */
export function identifyContent(content: DocumentContent): Promise<SentDocument> {
  return identifyDocument(content, "html" in content ? "html" : "markdown" in content ? "markdown" : null);
}

async function buildServedFiles(
  checked: readonly CheckedFile[],
  { label, ...conversion }: Omit<MarkdownConversion, "label"> & { readonly label: string | null },
): Promise<readonly DocumentFile[]> {
  const files: DocumentFile[] = [];
  const size = new UnpackedSize();
  for (const file of checked) {
    const served = await toServedFile(file, { ...conversion, label: label ?? file.path });
    size.add(label ?? file.path, served.bytes.byteLength);
    files.push(served);
  }
  return files;
}

function normalize(content: DocumentContent): {
  readonly sent: readonly SentFile[];
  readonly contentType: string;
} {
  if ("html" in content)
    return { sent: [{ path: HTML_PAGE, bytes: content.html }], contentType: DOCUMENT_TYPES.html };
  if ("markdown" in content)
    return { sent: [{ path: MARKDOWN_PAGE, bytes: content.markdown }], contentType: DOCUMENT_TYPES.markdown };
  return { sent: content.files, contentType: content.contentType ?? DOCUMENT_TYPES.multipart };
}

/** Change this whenever the format of the hashed data changes. */
const DIGEST_VERSION = "snap-document-v1\n";

/** The sorted paths and bytes, each after its length in 8 bytes, so different documents never yield the same data. */
function* digestedParts(files: readonly CheckedFile[]): Generator<Uint8Array> {
  yield Buffer.from(DIGEST_VERSION);
  for (const { path, bytes } of files)
    for (const part of [Buffer.from(path), bytes]) {
      const length = Buffer.alloc(8);
      length.writeBigUInt64BE(BigInt(part.byteLength));
      yield length;
      yield part;
    }
}

async function toServedFile(
  { path, bytes }: CheckedFile,
  conversion: MarkdownConversion,
): Promise<DocumentFile> {
  if (path !== MARKDOWN_PAGE) return { path, contentType: contentTypeOf(path), bytes };
  const html = await markdownToHtml(bytes, conversion);
  return { path: HTML_PAGE, contentType: contentTypeOf(HTML_PAGE), bytes: html };
}
