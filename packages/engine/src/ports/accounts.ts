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
}

/** The fields that can change. */
export type AccountChange = Partial<
  Pick<Account, "email" | "emailVerifiedAt" | "planSlug" | "creditsPerPeriod" | "requestsPerMinute">
>;

/** Selects accounts; each absent field selects all. */
export interface AccountFilter {
  /** A part of the e-mail address, compared without regard to ASCII case. */
  readonly emailPart?: string | undefined;
  /** `null` selects those without a plan. */
  readonly planSlug?: string | null | undefined;
  readonly isVerified?: boolean | undefined;
}

/** Durable accounts. E-mail addresses are unique, compared without regard to ASCII case. */
export interface AccountStore {
  /** Returns `false`, and stores nothing, if the e-mail address is taken. */
  insert(account: Account): Promise<boolean>;
  find(id: string): Promise<Account | null>;
  findByEmail(email: string): Promise<Account | null>;
  /** Returns selected accounts, in order of creation; none if `after` is unknown. */
  page(request: PageRequest & AccountFilter): Promise<Page<Account>>;
  /** Returns all accounts, in order of creation. */
  list(): Promise<readonly Account[]>;
  /** Returns the changed account, `null` if it does not exist, or `"email-taken"`. */
  update(id: string, change: AccountChange): Promise<Account | "email-taken" | null>;
}
