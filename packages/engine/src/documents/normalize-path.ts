import { DOCUMENT_LIMITS } from "@snap/protocol";

/** More than the longest valid path has in any form of Unicode. */
const CHARACTERS_MAX = 4 * DOCUMENT_LIMITS.pathBytes;

/**
 * Returns a path in Unicode NFC. Returns one that is too long to be valid as it is: normalization takes quadratic time for
 * many combining marks, and would block the event loop.
 */
export function normalizePath(path: string): string {
  return path.length > CHARACTERS_MAX ? path : path.normalize("NFC");
}
