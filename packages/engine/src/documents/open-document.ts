import type { Clock } from "../ports/clock.ts";
import type { DocumentStore } from "../ports/documents.ts";
import type { ServedDocument } from "../ports/renderer.ts";
import { SnapError } from "../errors.ts";
import { documentIdOf, documentUrl, type SentDocument } from "./document.ts";

export interface DocumentParts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

interface OpenRequest {
  readonly url: string;
  readonly accountId: string;
  /** The document of the page, if the request has it. */
  readonly sent: SentDocument | undefined;
}

/**
 * Returns the document to serve to the page: from the request, or from the storage if the account has it. Returns `null`
 * for any other page, and for a document that does not exist.
 *
 * @throws SnapError if the document of the request cannot be built.
 */
export async function openDocument(
  { documents, clock }: DocumentParts,
  { url, accountId, sent }: OpenRequest,
): Promise<ServedDocument | null> {
  const id = documentIdOf(url);
  if (id === null) return null;
  if (sent !== undefined) return serveFromMemory(sent, accountId);
  // one instant for the whole render, so that the document does not expire in the middle
  const key = { accountId, id, now: clock.now() };
  const found = await documents.find(key);
  if (found === null) return null;
  const readFile: ServedDocument["readFile"] = async (path) => {
    const file = await documents.readFile({ ...key, path });
    // a page without its files would be a wrong picture
    if (file === null && (await documents.find(key)) === null)
      throw new SnapError("render_failed", "The document was deleted while it was rendered.");
    return file;
  };
  return { url: documentUrl(id), readFile };
}

async function serveFromMemory(
  { url, buildFiles }: SentDocument,
  accountId: string,
): Promise<ServedDocument> {
  const files = new Map((await buildFiles(accountId)).map((file) => [file.path, file]));
  return { url, readFile: async (path) => files.get(path) ?? null };
}
