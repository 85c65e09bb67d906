import type { Clock } from "../ports/clock.ts";
import type { DocumentStore } from "../ports/documents.ts";
import type { ServedDocument } from "../ports/renderer.ts";
import { createDocument, documentIdOf, documentUrl, type DocumentContent } from "./document.ts";

export interface DocumentParts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
}

interface OpenRequest {
  readonly url: string;
  readonly accountId: string;
  /** The content of the page, if the request has it. */
  readonly content: DocumentContent | undefined;
}

/**
 * Returns the document to serve to the page: from the request, or from the storage if the account has it. Returns `null`
 * for any other page, and for a document that does not exist.
 *
 * @throws SnapError as `createDocument` does.
 */
export async function openDocument(
  { documents, clock }: DocumentParts,
  { url, accountId, content }: OpenRequest,
): Promise<ServedDocument | null> {
  const id = documentIdOf(url);
  if (id === null) return null;
  if (content !== undefined) return serveFromMemory(content);
  // one instant for the whole render, so that the document does not expire in the middle
  const key = { accountId, id, now: clock.now() };
  const found = await documents.find(key);
  return found && { url: documentUrl(id), readFile: (path) => documents.readFile({ ...key, path }) };
}

async function serveFromMemory(content: DocumentContent): Promise<ServedDocument> {
  const { url, files } = await createDocument(content);
  const byPath = new Map(files.map((file) => [file.path, file]));
  return { url, readFile: async (path) => byPath.get(path) ?? null };
}
