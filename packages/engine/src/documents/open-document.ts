import { DOCUMENT_ORIGIN, documentIdOf, documentUrl } from "@snap/protocol";
import type { Clock } from "../ports/clock.ts";
import type { DocumentFile, DocumentStore } from "../ports/documents.ts";
import type { ServedDocument } from "../ports/renderer.ts";
import { SnapError } from "../errors.ts";
import { parseTarget } from "../targets/target.ts";
import type { SentDocument } from "./document.ts";

export interface DocumentDependencies {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

interface OpenRequest {
  readonly url: string;
  readonly accountId: string;
  /** The page's document, if the request contains it. */
  readonly sent: SentDocument | undefined;
}

/**
 * Returns the document to serve to the page, from the request or the account's stored documents. Returns `null` for any
 * other page.
 *
 * @throws SnapError `target_unreachable` if the account has no such document, or for another URL on the documents' host.
 */
export async function openDocument(
  { documents, clock }: DocumentDependencies,
  { url, accountId, sent }: OpenRequest,
): Promise<ServedDocument | null> {
  const id = documentIdOf(url);
  if (id === null) {
    if (parseTarget(url)?.hostname === DOCUMENT_HOSTNAME) throw notADocumentUrl();
    return null;
  }
  if (sent !== undefined) return serveFromMemory(sent, accountId);
  // one instant for the whole render: a document that expires meanwhile is pruned only when no render can need it
  const key = { accountId, id, now: clock.now() };
  const record = await documents.find(key);
  if (record === null)
    throw new SnapError(
      "target_unreachable",
      "The document is not stored: this account never uploaded it, or it was deleted or has expired. Upload it.",
    );
  const readFile: ServedDocument["readFile"] = async (path) => {
    const file = await documents.readFile({ ...key, path });
    // without its files, the page would render incorrectly
    if (file === null && (await documents.find(key)) === null)
      throw new SnapError("render_failed", "The document was deleted while it was being rendered.");
    return file;
  };
  return { url: documentUrl(id), readFile };
}

const DOCUMENT_HOSTNAME = new URL(DOCUMENT_ORIGIN).hostname;

function notADocumentUrl(): SnapError {
  return new SnapError(
    "target_unreachable",
    `Only a document's own URL, ${DOCUMENT_ORIGIN}/<id>/, can be rendered; it shows the index page. To render another page, upload it as a separate document.`,
  );
}

/** Builds the files when the page loads, so that converting Markdown is part of the render and of its time limit. */
function serveFromMemory({ url, buildFiles }: SentDocument, accountId: string): ServedDocument {
  let built: Promise<readonly DocumentFile[]> | undefined;
  return {
    url,
    async readFile(path, signal) {
      built ??= buildFiles(accountId, signal);
      return (await built).find((file) => file.path === path) ?? null;
    },
  };
}
