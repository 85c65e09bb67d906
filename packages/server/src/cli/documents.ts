import type { Account, TokenRecord } from "@snap/engine";

/** An account as programs read it; instants are ISO 8601. */
export function accountDocument(account: Account): Readonly<Record<string, unknown>> {
  return {
    id: account.id,
    email: account.email,
    verified_at: isoInstant(account.emailVerifiedAt),
    plan: account.planSlug,
    credits_per_period: account.creditsPerPeriod,
    requests_per_minute: account.requestsPerMinute,
    created_at: isoInstant(account.createdAt),
  };
}

/** A token as programs read it, without its secrets. */
export function tokenDocument(record: TokenRecord): Readonly<Record<string, unknown>> {
  return {
    id: record.id,
    account_id: record.accountId,
    abilities: record.abilities,
    created_at: isoInstant(record.createdAt),
    expires_at: isoInstant(record.expiresAt),
    rotated_at: isoInstant(record.rotatedAt),
  };
}

function isoInstant(instant: number | null): string | null {
  return instant === null ? null : new Date(instant).toISOString();
}
