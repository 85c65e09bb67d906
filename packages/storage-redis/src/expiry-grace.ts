/**
 * For so long after its end a key stays: the callers' clocks decide what is over, and Redis, whose
 * clock may be ahead of theirs, only tidies up.
 */
export const EXPIRY_GRACE_MS = 60_000;
