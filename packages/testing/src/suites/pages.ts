import type { Page, PageRequest } from "@snap/engine/ports";
import assert from "node:assert/strict";

/**
 * Reads all pages of every size, each from the last id of the one before, and compares them with `ids`, which must be all.
 */
export async function assertPages<Entry extends { readonly id: string }>(
  readPage: (request: PageRequest) => Promise<Page<Entry>>,
  ids: readonly string[],
): Promise<void> {
  for (let limit = 1; limit <= ids.length + 1; limit += 1)
    for (let start = 0; start <= ids.length; start += limit) {
      const { entries, more } = await readPage({ limit, ...(start > 0 && { after: ids[start - 1] }) });
      const end = start + limit;
      assert.deepEqual(
        { ids: entries.map(({ id }) => id), more },
        { ids: ids.slice(start, end), more: Math.max(0, ids.length - end) },
      );
    }
}
