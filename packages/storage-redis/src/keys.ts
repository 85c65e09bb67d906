/** Builds a key. The parts are JSON, so that different lists never result in the same key. */
export function keyOf(prefix: string, kind: string, ...parts: readonly string[]): string {
  return `${prefix}${kind}:${JSON.stringify(parts)}`;
}

/**
 * How long a key outlives its value. The callers' clocks decide when a value expires; the clock of Redis may be ahead of
 * them, so it only cleans up.
 */
export const EXPIRY_GRACE_MS = 60_000;
