import type { Account } from "@snap/engine/ports";

/** An account's columns, aliased to the names of its fields. */
export const ACCOUNT_COLUMNS = `accounts.id, email, email_verified_at AS emailVerifiedAt,
  plan_slug AS planSlug, credits_per_period AS creditsPerPeriod,
  requests_per_minute AS requestsPerMinute, accounts.created_at AS createdAt,
  suspended_at AS suspendedAt, deletion_started_at AS deletionStartedAt`;

/** Picks the account from a row with more columns. */
export function toAccount(row: Account): Account {
  const { id, email, emailVerifiedAt, planSlug, creditsPerPeriod, requestsPerMinute, createdAt } = row;
  const { suspendedAt, deletionStartedAt } = row;
  return {
    id,
    email,
    emailVerifiedAt,
    planSlug,
    creditsPerPeriod,
    requestsPerMinute,
    createdAt,
    suspendedAt,
    deletionStartedAt,
  };
}
