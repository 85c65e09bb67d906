import type { PreviousSecrets, TokenRecord } from "../ports/tokens.ts";

/** Longest overlap of a rotation: 30 days. */
export const OVERLAP_MAX_MS = 30 * 24 * 60 * 60 * 1000;

/** Returns the secrets from before the last rotation while they still work, or `null`. */
export function previousOf({ previous }: TokenRecord, now: number): PreviousSecrets | null {
  return previous !== null && now < previous.endsAt ? previous : null;
}
