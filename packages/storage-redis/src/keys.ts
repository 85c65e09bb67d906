/** Names what is kept. As JSON, so that no two lists of texts run together, whatever is in them. */
export function keyOf(prefix: string, kind: string, ...parts: readonly string[]): string {
  return `${prefix}${kind}:${JSON.stringify(parts)}`;
}

/**
 * For so long after its end a key stays: the callers' clocks decide what is over, and Redis, whose
 * clock may be ahead of theirs, only tidies up.
 */
export const EXPIRY_GRACE_MS = 60_000;
