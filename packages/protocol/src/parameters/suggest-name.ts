/** Names that differ by more edits, or in more than half of their characters, are considered unrelated. */
const MAX_EDITS = 3;
/** Shorter prefixes match too many names. */
const PREFIX_CHARACTERS_MIN = 4;
/** Longer names are not compared. */
const MAX_CHARACTERS = 32;

/**
 * Returns the known name closest to a mistyped or incomplete one, or `null` if none is similar.
 *
 * @example
 * suggestName("full-pge", ["format", "fullPage"]); // "fullPage"
 * suggestName("full", ["url", "fullPage"]); // "fullPage"
 */
export function suggestName(name: string, candidates: readonly string[]): string | null {
  if (name.length > MAX_CHARACTERS) return null;
  const sent = normalize(name.replace(/\[.*$/, ""));
  let best: { name: string; edits: number } | null = null;
  for (const candidate of candidates) {
    const known = normalize(candidate);
    const isPrefix = sent.length >= PREFIX_CHARACTERS_MIN && known.startsWith(sent);
    const edits = Math.min(editDistance(sent, known), isPrefix ? 1 : Infinity);
    const half = Math.floor(Math.max(sent.length, known.length) / 2);
    if (edits <= Math.min(MAX_EDITS, half) && edits < (best?.edits ?? Infinity))
      best = { name: candidate, edits };
  }
  return best?.name ?? null;
}

/**
 * Returns the message for a value that is not in a list of valid ones.
 *
 * @example
 * mustBeOneOf(["png", "jpeg", "webp"], "jpg"); // "must be one of png, jpeg, webp; did you mean jpeg?"
 */
export function mustBeOneOf(values: readonly string[], value: unknown): string {
  return `must be one of ${values.join(", ")}${suggestion(values, value)}`;
}

/** Returns the end of a message, such as `; did you mean jpeg?`, or an empty string if no valid value is similar. */
export function suggestion(values: readonly string[], value: unknown): string {
  const closest = typeof value === "string" ? suggestName(value, values) : null;
  return closest === null ? "" : `; did you mean ${closest}?`;
}

/** Ignores case and separators. */
function normalize(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, "");
}

/** Returns the Levenshtein distance. A result over `MAX_EDITS` may be infinity, because the computation stops early. */
function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > MAX_EDITS) return Infinity;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) > MAX_EDITS) return Infinity;
    previous = current;
  }
  return previous[right.length] ?? Infinity;
}
