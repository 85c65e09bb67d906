import type { RenderingKey, RenderingStore, StoredRendering } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import type { BodyFiles } from "../body-files.ts";
import { DELETIONS_PER_TRANSACTION, type CacheSpace } from "../cache/cache-space.ts";
import { createRenderingRows } from "../cache/rows.ts";
import type { LedgerReserve } from "../ledger-reserve.ts";
import { inChunks } from "../chunks.ts";
import type { Deletions } from "./deletions.ts";

/** Counted against the quota for each rendering, in addition to its bytes: its row, and the unused rest of a block. */
const OVERHEAD_BYTES = 4096;

export interface RenderingStoreOptions {
  readonly files: BodyFiles;
  readonly space: CacheSpace;
  readonly ledgerReserve: LedgerReserve;
  readonly deletions: Deletions;
}

export function createRenderingStore(
  database: DatabaseSync,
  { files, space, ledgerReserve, deletions }: RenderingStoreOptions,
): RenderingStore {
  const rows = createRenderingRows(database, deletions);
  const hasRow = (id: number): boolean => rows.has(id);

  /** Deletes rows and then their files. */
  const discard = async (ids: readonly number[]): Promise<number> => {
    for (let start = 0; start < ids.length; start += DELETIONS_PER_TRANSACTION) {
      const some = ids.slice(start, start + DELETIONS_PER_TRANSACTION);
      rows.remove(some);
      await files.remove(some);
    }
    return ids.length;
  };
  /** Writes the file and then its row, so no row exists before its file. */
  const store = async (key: RenderingKey, { bytes, ...metadata }: StoredRendering): Promise<void> => {
    const id = await files.write([bytes], metadata.storedAt);
    try {
      await files.remove(rows.replace(key, { ...metadata, id, size: bytes.byteLength }));
    } catch (error) {
      await files.remove([id]);
      throw error;
    }
  };

  const purge = (accountId: string | null): Promise<number> =>
    inChunks(() => discard(rows.someIds({ accountId, limit: DELETIONS_PER_TRANSACTION })));

  return {
    async get(request) {
      for (;;) {
        const row = rows.find(request);
        if (row === null) return null;
        const { id, size, ...rendering } = row;
        const bytes = size === null ? rendering.bytes : await files.read(id, { position: 0, size });
        if (bytes !== null) return { ...rendering, bytes };
        // the rendering was deleted or replaced after its row was read, or its file is lost
        await discard([id]);
      }
    },
    peek: async (request) => rows.findMetadata(request),
    async put({ rendering, ...key }) {
      const pending = { accountId: key.accountId, bytes: rendering.bytes.byteLength + OVERHEAD_BYTES };
      const isStored = await space.store(pending, () => store(key, rendering));
      // an older rendering under this key must not be returned
      if (!isStored) await discard(rows.idsOf(key));
    },
    async delete(key) {
      await discard(rows.idsOf(key));
    },
    async prune({ now, limit }) {
      const expired = await discard(rows.expiredIds({ now, limit }));
      const evicted = await space.trim(limit - expired);
      ledgerReserve.renew();
      await files.sweepHourly({ now, hasRow });
      return expired + evicted;
    },
    purge: ({ accountId }) => purge(accountId),
    async deleteAccount({ accountId, now }) {
      deletions.add(accountId, now);
      const deleted = await purge(accountId);
      // an earlier deletion may have been killed between a row and its file
      await files.sweep({ now, hasRow });
      return deleted;
    },
    stats: async () => space.stats(),
  };
}
