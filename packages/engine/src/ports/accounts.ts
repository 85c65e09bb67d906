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
  /** Overrides the plan's rate limit on renders. */
  readonly requestsPerMinute: number | null;
  /** Also the anchor of the monthly periods. */
  readonly createdAt: number;
  /** Instant of its suspension, or `null`. A suspended account's requests are rejected. */
  readonly suspendedAt: number | null;
  /** When its deletion started, or `null`. The account is then also suspended, and cannot be resumed. */
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
  /** A part of the email address, taken literally. ASCII case does not matter. */
  readonly emailPart?: string | undefined;
  /** `null` selects those without a plan. */
  readonly planSlug?: string | null | undefined;
  readonly isVerified?: boolean | undefined;
}

/**
 * Durable accounts. Email addresses are unique, regardless of the case of ASCII letters; other letters are compared
 * exactly. Ids are never reused.
 *
 * A deletion has several steps, in several stores. From `startDeletion` until at least a day after
 * `delete`, the account's new batches are not stored and no period is opened for it, so requests in
 * flight leave nothing behind.
 */
export interface AccountStore {
  /**
   * Returns `false`, and stores nothing, if the email address is taken. If several concurrent inserts have the same
   * address, exactly one succeeds.
   *
   * @throws Error if the id is taken.
   */
  insert(account: Account): Promise<boolean>;
  find(id: string): Promise<Account | null>;
  findByEmail(email: string): Promise<Account | null>;
  /**
   * Returns the selected accounts, in order of creation; none if `after` is unknown. `after` can be an account that the
   * filter does not select.
   */
  page(request: PageRequest & AccountFilter): Promise<Page<Account>>;
  /** Returns all accounts, in order of creation, which updates do not change. */
  list(): Promise<readonly Account[]>;
  /**
   * Changes the given fields (`null` is a value) and returns the account; `null` if it does not exist. Changes
   * nothing, and returns `"email-taken"`, if another account has the email address. Concurrent changes of different
   * fields all take effect.
   */
  update(id: string, change: AccountChange): Promise<Account | "email-taken" | null>;
  /**
   * Suspends the account and records that its deletion has started; returns it, or `null` if it does not exist. Keeps
   * the instants of an earlier suspension and of an earlier start.
   */
  startDeletion(request: { readonly id: string; readonly now: number }): Promise<Account | null>;
  /**
   * Deletes the account and its tokens, as the last step of its deletion; returns `false` if it does not
   * exist. Its email address is then free. Its ledger remains, unless another step has deleted it. Before
   * this resolves, an embedded storage overwrites what this and earlier steps deleted
   * (docs/explanation/retention.md).
   */
  delete(request: { readonly id: string; readonly now: number }): Promise<boolean>;
  /** Forgets at most `limit` deletions that ended before `before`; returns their number. */
  prune(request: { readonly before: number; readonly limit: number }): Promise<number>;
}
