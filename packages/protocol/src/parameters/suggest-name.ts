/** Further apart than this, two names have nothing to do with each other. */
const MAX_EDITS = 3;

/**
 * The known name nearest to a mistyped one, or `null` when none is near.
 *
 * @example
 * suggestName("full-pge", ["format", "fullPage"]); // "fullPage"
 */
export function suggestName(name: string, known: readonly string[]): string | null {
  // A long name can't be near, and needn't be compared.
  if (name.length > 32) return null;
  const wanted = plain(name.replace(/\[.*$/, ""));
  let best: { name: string; edits: number } | null = null;
  for (const candidate of known) {
    const edits = editDistance(wanted, plain(candidate));
    if (edits <= Math.min(MAX_EDITS, candidate.length - 1) && edits < (best?.edits ?? Infinity))
      best = { name: candidate, edits };
  }
  return best?.name ?? null;
}

/** Case and separators are no difference. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** Levenshtein distance. */
function editDistance(left: string, right: string): number {
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
