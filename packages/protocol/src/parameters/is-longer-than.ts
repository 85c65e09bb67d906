/** Counts code points, not UTF-16 code units: an emoji is one character. Reads no more of a text than it needs to. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  let count = 0;
  for (const _ of text) {
    count += 1;
    if (count > maxCharacters) return true;
  }
  return false;
}
