/** Length in code points, not in UTF-16 code units: an emoji is one character. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
