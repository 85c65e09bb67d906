import type { DocumentFile, DocumentKey, DocumentRecord, DocumentStore } from "@snap/engine/ports";

interface Entry {
  readonly document: DocumentRecord;
  readonly files: ReadonlyMap<string, DocumentFile>;
}

/** Documents in memory. */
export function createDocumentStore(deletions: ReadonlyMap<string, number>): DocumentStore {
  const entries = new Map<string, Entry>();
  const entryOf = ({ now, ...key }: DocumentKey & { readonly now: number }): Entry | null => {
    const entry = entries.get(nameOf(key));
    return entry === undefined || entry.document.expiresAt <= now ? null : entry;
  };
  const remove = (selected: readonly DocumentRecord[]): number => {
    for (const document of selected) entries.delete(nameOf(document));
    return selected.length;
  };
  const recordsOf = (accountId: string): DocumentRecord[] =>
    [...entries.values()].map(({ document }) => document).filter((record) => record.accountId === accountId);

  return {
    async put({ document, files, quota }) {
      if (deletions.has(document.accountId)) return { stored: true, document };
      const { storedAt: now, expiresAt } = document;
      const existing = entryOf({ ...document, now });
      if (existing !== null) {
        const extended = {
          ...existing.document,
          expiresAt: Math.max(existing.document.expiresAt, expiresAt),
        };
        entries.set(nameOf(document), { ...existing, document: extended });
        return { stored: true, document: { ...extended } };
      }
      const stored = recordsOf(document.accountId).filter((record) => record.expiresAt > now);
      const bytes = stored.reduce((sum, record) => sum + record.bytes, 0);
      const used = { documents: stored.length, bytes };
      if (used.documents + 1 > quota.documents) return { stored: false, exceeded: "documents", used };
      if (bytes + document.bytes > quota.bytes) return { stored: false, exceeded: "bytes", used };
      const byPath = new Map(files.map((file) => [file.path, copyOf(file)]));
      entries.set(nameOf(document), { document: { ...document }, files: byPath });
      return { stored: true, document };
    },
    async find(request) {
      return structuredClone(entryOf(request)?.document ?? null);
    },
    async readFile({ path, ...request }) {
      const file = entryOf(request)?.files.get(path);
      return file === undefined ? null : copyOf(file);
    },
    async delete(request) {
      const entry = entryOf(request);
      return entry !== null && remove([entry.document]) > 0;
    },
    async prune({ now, limit }) {
      const expired = [...entries.values()]
        .map(({ document }) => document)
        .filter(({ expiresAt }) => expiresAt <= now);
      return remove(expired.toSorted((a, b) => a.expiresAt - b.expiresAt).slice(0, limit));
    },
    async deleteAccount({ accountId }) {
      return remove(recordsOf(accountId));
    },
  };
}

function nameOf({ accountId, id }: DocumentKey): string {
  return JSON.stringify([accountId, id]);
}

/** Copies the bytes, so callers cannot change the stored file. */
function copyOf(file: DocumentFile): DocumentFile {
  return { ...file, bytes: new Uint8Array(file.bytes) };
}
