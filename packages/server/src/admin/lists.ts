import type { Page, PageRequest } from "@snap/engine/ports";
import type { AdminCountedList, AdminList } from "@snap/protocol";
import { LIST_LIMITS } from "../requests/fields.ts";

export function pageRequestOf({
  after,
  limit = LIST_LIMITS.pageDefault,
}: {
  readonly after?: string | undefined;
  readonly limit?: number | undefined;
}): PageRequest {
  return { limit, after };
}

/** Converts a page to its JSON form, with the number of remaining entries. */
export function toAdminCountedList<Entry, Document>(
  { entries, more }: Page<Entry>,
  toDocument: (entry: Entry) => Document,
): AdminCountedList<Document> {
  return { entries: entries.map(toDocument), has_more: more > 0, more };
}

/** Converts a page to its JSON form, without the number of remaining entries. */
export function toAdminList<Entry, Document>(
  { entries, hasMore }: { readonly entries: readonly Entry[]; readonly hasMore: boolean },
  toDocument: (entry: Entry) => Document,
): AdminList<Document> {
  return { entries: entries.map(toDocument), has_more: hasMore };
}

/** Returns a page of an in-memory list; `null` if no entry has the id `after`. */
export function pageOf<Entry extends { readonly id: number }>(
  entries: readonly Entry[],
  { after, limit }: PageRequest,
): Page<Entry> | null {
  const last = entries.findIndex(({ id }) => String(id) === after);
  if (after !== undefined && last === -1) return null;
  const rest = entries.slice(last + 1);
  return { entries: rest.slice(0, limit), more: Math.max(0, rest.length - limit) };
}
