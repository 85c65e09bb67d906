import { DAY_MS } from "../days.ts";
import type { PreviousSecrets, TokenRecord } from "../ports/tokens.ts";

/** Longest rotation overlap: 30 days. */
export const OVERLAP_MAX_MS = 30 * DAY_MS;

/** Returns the secrets from before the last rotation if they still work, or `null`. */
export function previousSecretsAt({ previous }: TokenRecord, now: number): PreviousSecrets | null {
  return previous !== null && now < previous.endsAt ? previous : null;
}
