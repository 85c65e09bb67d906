import type { Page, PageRequest } from "@snap/engine/ports";

/** Returns copies of a page of the entries that match; an empty page if no entry has the id `after`. */
export function pageOf<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  { after, limit, matches }: PageRequest & { readonly matches: (entry: Entry) => boolean },
): Page<Entry> {
  const last = entries.findIndex(({ id }) => id === after);
  if (after !== undefined && last === -1) return { entries: [], more: 0 };
  const rest = entries.slice(last + 1).filter(matches);
  return { entries: structuredClone(rest.slice(0, limit)), more: Math.max(0, rest.length - limit) };
}
