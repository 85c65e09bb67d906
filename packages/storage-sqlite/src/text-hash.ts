const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** Returns the 32-bit FNV-1a hash of the UTF-16 code units of a text: a small index key, not a cryptographic hash. */
export function hashText(text: string): number {
  let hash = OFFSET_BASIS;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME);
  return hash >>> 0;
}
