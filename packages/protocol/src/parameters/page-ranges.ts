/** A page or a range, which can have an open end. Chromium rejects larger numbers. */
const RANGE = /^(\d{1,5})(?:(-)(\d{1,5})?)?$/;

interface PageRange {
  readonly first: number;
  /** Infinite if the range is open. */
  readonly last: number;
}

/**
 * Returns page ranges in canonical form, ascending and merged, because pages are printed once and in order; `null` if
 * the text is invalid.
 *
 * @example
 * canonicalPageRanges("5, 2-3, 1"); // "1-3,5"
 */
export function canonicalPageRanges(text: string): string | null {
  const ranges = text.split(",").map((item) => parseRange(item.trim()));
  if (!ranges.every((range) => range !== null)) return null;
  const merged: PageRange[] = [];
  for (const range of ranges.toSorted((left, right) => left.first - right.first)) {
    const previous = merged.at(-1);
    if (previous === undefined || range.first > previous.last + 1) merged.push(range);
    else merged[merged.length - 1] = { first: previous.first, last: Math.max(previous.last, range.last) };
  }
  return merged.map(formatRange).join(",");
}

function parseRange(item: string): PageRange | null {
  const [matched, start, dash, end] = RANGE.exec(item) ?? [];
  if (matched === undefined) return null;
  const first = Number(start);
  const impliedLast = dash === undefined ? first : Infinity;
  const last = end === undefined ? impliedLast : Number(end);
  return first >= 1 && last >= first ? { first, last } : null;
}

function formatRange({ first, last }: PageRange): string {
  if (last === first) return `${first}`;
  return last === Infinity ? `${first}-` : `${first}-${last}`;
}
