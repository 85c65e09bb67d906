import type { Page, PageRequest } from "@snap/engine/ports";
import assert from "node:assert/strict";

interface Identified {
  readonly id: string;
}

/**
 * Reads all pages for each page size, passing the last id of each page to the next request, and compares them with
 * `ids`, the complete list.
 */
export async function assertPages(
  readPage: (request: PageRequest) => Promise<Page<Identified>>,
  ids: readonly string[],
): Promise<void> {
  for (const { request, end, expected } of pagesOf(ids)) {
    const { entries, more } = await readPage(request);
    assert.deepEqual({ ids: idsOf(entries), more }, { ids: expected, more: Math.max(0, ids.length - end) });
  }
}

/** Like `assertPages`, for pages that only report whether there are more. */
export async function assertUncountedPages(
  readPage: (
    request: PageRequest,
  ) => Promise<{ readonly entries: readonly Identified[]; readonly hasMore: boolean }>,
  ids: readonly string[],
): Promise<void> {
  for (const { request, end, expected } of pagesOf(ids)) {
    const { entries, hasMore } = await readPage(request);
    assert.deepEqual({ ids: idsOf(entries), hasMore }, { ids: expected, hasMore: ids.length > end });
  }
}

interface ExpectedPage {
  readonly request: PageRequest;
  /** Number of entries up to the end of the page. */
  readonly end: number;
  readonly expected: readonly string[];
}

function pagesOf(ids: readonly string[]): readonly ExpectedPage[] {
  const pages: ExpectedPage[] = [{ request: { limit: 0 }, end: 0, expected: [] }];
  for (let limit = 1; limit <= ids.length + 1; limit += 1)
    for (let start = 0; start <= ids.length; start += limit) {
      const request = { limit, ...(start > 0 && { after: ids[start - 1] }) };
      const end = start + limit;
      pages.push({ request, end, expected: ids.slice(start, end) });
    }
  return pages;
}

function idsOf(entries: readonly Identified[]): readonly string[] {
  return entries.map(({ id }) => id);
}
