import type { Account } from "@snap/engine/ports";

/** Returns an active account: every field is set, except those of a suspension and a deletion. */
export function sampleAccount(change: Partial<Account> = {}): Account {
  return {
    id: "acct_1",
    email: "ada@example.com",
    emailVerifiedAt: 1_767_225_600_123,
    planSlug: "starter",
    creditsPerPeriod: 1000,
    requestsPerMinute: 20,
    createdAt: 1_767_225_600_000,
    suspendedAt: null,
    deletionStartedAt: null,
    ...change,
  };
}
