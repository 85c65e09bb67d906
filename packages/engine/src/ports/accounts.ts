import type { Page, PageRequest } from "./page.ts";

/** A customer, who owns tokens, credits and cached renderings. */
export interface Account {
  readonly id: string;
  readonly email: string;
  /** Instant of verification, or `null` while the address is unverified. */
  readonly emailVerifiedAt: number | null;
  /** Slug of the plan, or `null` for an account without one. */
  readonly planSlug: string | null;
  /** Overrides the plan's credits per period. */
  readonly creditsPerPeriod: number | null;
  /** Overrides the plan's render limit. */
  readonly requestsPerMinute: number | null;
  /** Also the anchor of the monthly periods. */
  readonly createdAt: number;
  /** Instant of its suspension, or `null`. Every request of a suspended account is rejected. */
  readonly suspendedAt: number | null;
  /** Instant at which its deletion started, or `null`. It is suspended, too, and only remains to be deleted. */
  readonly deletionStartedAt: number | null;
}

/** The fields that can change. */
export type AccountChange = Partial<
  Pick<
    Account,
    "email" | "emailVerifiedAt" | "planSlug" | "creditsPerPeriod" | "requestsPerMinute" | "suspendedAt"
  >
>;

/** Selects accounts; each absent field selects all. */
export interface AccountFilter {
  /** A part of the email address, compared without regard to ASCII case. */
  readonly emailPart?: string | undefined;
  /** `null` selects those without a plan. */
  readonly planSlug?: string | null | undefined;
  readonly isVerified?: boolean | undefined;
}

/**
 * Durable accounts. Email addresses are unique, compared without regard to ASCII case. Ids are never reused.
 *
 * A deletion has several steps, in several stores. From `startDeletion` on, and at least until a day after `delete`, the
 * storage accepts no new batch of the account and opens no period for it, so that a request in flight leaves nothing behind.
 */
export interface AccountStore {
  /** Returns `false`, and stores nothing, if the email address is taken. */
  insert(account: Account): Promise<boolean>;
  find(id: string): Promise<Account | null>;
  findByEmail(email: string): Promise<Account | null>;
  /** Returns selected accounts, in order of creation; none if `after` is unknown. */
  page(request: PageRequest & AccountFilter): Promise<Page<Account>>;
  /** Returns all accounts, in order of creation. */
  list(): Promise<readonly Account[]>;
  /** Returns the changed account, `null` if it does not exist, or `"email-taken"`. */
  update(id: string, change: AccountChange): Promise<Account | "email-taken" | null>;
  /** Suspends the account and records that its deletion has started; returns it, or `null` if it does not exist. */
  startDeletion(request: { readonly id: string; readonly now: number }): Promise<Account | null>;
  /**
   * Deletes the account and its tokens, the last step of its deletion; returns `false` if it does not exist. What was
   * deleted, here and in earlier steps, can then no longer be read from the storage's files.
   */
  delete(request: { readonly id: string; readonly now: number }): Promise<boolean>;
  /** Forgets at most `limit` deletions that ended before `before`; returns their number. */
  prune(request: { readonly before: number; readonly limit: number }): Promise<number>;
}
