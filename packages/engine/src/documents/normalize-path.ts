import { DOCUMENT_LIMITS } from "@snap/protocol";

/** Longer than any valid path in any Unicode form. */
const CHARACTERS_MAX = 4 * DOCUMENT_LIMITS.pathBytes;

/**
 * Returns a path in Unicode NFC. A path that is too long to be valid is returned unchanged, because normalizing many
 * combining marks takes quadratic time, and would block the event loop.
 */
export function normalizePath(path: string): string {
  return path.length > CHARACTERS_MAX ? path : path.normalize("NFC");
}
