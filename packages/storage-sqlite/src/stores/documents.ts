import type { DocumentStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import type { BodyFiles } from "../body-files.ts";
import type { CacheSpace } from "../cache/cache-space.ts";
import { inChunks } from "../chunks.ts";
import type { Deletions } from "./deletions.ts";
import { createDocumentRows, toDocument, type DocumentRow } from "./document-rows.ts";

/** A document can have up to 500 rows. */
const DELETIONS_PER_TRANSACTION = 5;

export interface DocumentStoreOptions {
  readonly deletions: Deletions;
  readonly files: BodyFiles;
  readonly space: Pick<CacheSpace, "makeSpaceFor">;
}

export function createDocumentStore(
  database: DatabaseSync,
  { deletions, files, space }: DocumentStoreOptions,
): DocumentStore {
  const rows = createDocumentRows(database, deletions);
  const hasRow = (sequence: number): boolean => rows.has(sequence);

  /** Deletes rows and then their files. */
  const discard = async (sequences: readonly number[]): Promise<number> => {
    const removed = rows.remove(sequences);
    await files.remove(sequences);
    return removed;
  };
  /**
   * Returns `null`, and deletes the row, if its file is missing: lost, or deleted while the restored
   * backup was being made.
   */
  const discardIfLost = async (row: DocumentRow): Promise<DocumentRow | null> => {
    if (await files.has(row.sequence, row.bytes)) return row;
    await discard([row.sequence]);
    return null;
  };
  const findRow = async (request: Parameters<DocumentStore["find"]>[0]): Promise<DocumentRow | null> => {
    const row = rows.find(request);
    return row && discardIfLost(row);
  };

  return {
    async put(request) {
      // deletes the row if its file is lost, so the document is stored again
      await findRow({ ...request.document, now: request.document.storedAt });
      const earlyOutcome = rows.putWithoutInsert(request);
      if (earlyOutcome !== null) return earlyOutcome;
      const { document } = request;
      if (!(await space.makeSpaceFor(document.bytes)))
        throw new Error(
          "the disk has no space for a document; free disk space, or lower the reserve, SNAP_DISK_RESERVE_BYTES",
        );
      const parts = request.files.map(({ bytes }) => bytes);
      const sequence = await files.write(parts, document.storedAt);
      try {
        const outcome = rows.insert(request, sequence);
        // in the meantime, another upload stored the document or used up the quota, or a deletion started
        if (outcome !== null) await files.remove([sequence]);
        return outcome ?? { stored: true, document };
      } catch (error) {
        await files.remove([sequence]);
        throw error;
      }
    },
    async find(request) {
      const row = await findRow(request);
      return row && toDocument(row);
    },
    async readFile({ path, ...request }) {
      const part = rows.findPart({ ...request, path });
      if (part === null) return null;
      const bytes = await files.read(part.sequence, part);
      return bytes && { path, contentType: part.contentType, bytes };
    },
    async delete(request) {
      const row = rows.find(request);
      return row !== null && (await discard([row.sequence])) > 0;
    },
    async prune({ now, limit }) {
      const pruned = await discard(rows.expired({ now, limit }));
      await files.sweepHourly({ now, hasRow });
      return pruned;
    },
    async deleteAccount({ accountId, now }) {
      const limit = DELETIONS_PER_TRANSACTION;
      const deleted = await inChunks(() => discard(rows.listByAccount({ accountId, limit })));
      // an earlier deletion may have been killed between a row and its file
      await files.sweep({ now, hasRow });
      return deleted;
    },
  };
}
