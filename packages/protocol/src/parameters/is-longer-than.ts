/** Counts code points, not UTF-16 code units. Does not read a text that is far too long. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
  return text.length > 2 * maxCharacters || Array.from(text).length > maxCharacters;
}
