import type { Account, AccountChange, AccountFilter } from "../ports/accounts.ts";
import type { Clock } from "../ports/clock.ts";
import type { Page, PageRequest } from "../ports/page.ts";
import type { Random } from "../ports/random.ts";
import { availablePlans, type Plan } from "./plans.ts";
import { accountNotFound, AdminError } from "../errors.ts";
import { randomHex } from "../ids.ts";
import { withoutUndefined } from "../option-values.ts";
import {
  deleteAccount,
  previewDeletion,
  type DeletedAccount,
  type DeletionPreview,
  type DeletionStores,
} from "./delete-account.ts";
import {
  ensureAccount,
  type EnsuredAccount,
  type EnsureDependencies,
  type OwnAccount,
} from "./ensure-account.ts";

export interface NewAccount {
  readonly email: string;
  /** Slug of a plan; none by default. */
  readonly planSlug?: string | null;
  readonly creditsPerPeriod?: number | null;
  readonly requestsPerMinute?: number | null;
  /** Whether the email address is already verified. */
  readonly verified: boolean;
}

/** Account administration. Every method throws `AdminError`, with a message for the operator, on invalid input. */
export interface Accounts {
  create(account: NewAccount): Promise<Account>;
  /**
   * Returns the account with this email address, and a token for it; creates whichever is missing. For a program
   * that renders on its own behalf. Call it at every start; concurrent calls create one account and one token. An
   * existing account keeps its plan, and its email address is marked as verified. If the stored token
   * has a different secret, it is rotated: the old token and its signing secret stop working.
   *
   * @example
   * const { token } = await engine.accounts.ensure({ email: "previews@example.com" });
   * const principal = await engine.authenticate(token);
   */
  ensure(account: OwnAccount): Promise<EnsuredAccount>;
  get(id: string): Promise<Account>;
  /** Returns the account with this email address. ASCII case does not matter. */
  getByEmail(email: string): Promise<Account>;
  /** Returns the selected accounts in creation order. */
  page(request: PageRequest & AccountFilter): Promise<Page<Account>>;
  list(): Promise<readonly Account[]>;
  update(id: string, change: Omit<AccountChange, "emailVerifiedAt" | "suspendedAt">): Promise<Account>;
  verify(id: string): Promise<Account>;
  /** Rejects the account's requests from now on. Captures that have started still finish. */
  suspend(id: string): Promise<Account>;
  /** Ends a suspension. */
  resume(id: string): Promise<Account>;
  /**
   * Deletes the account with its tokens, batches, documents, renderings and history. The ledger remains, under the
   * account's random id, unless `purge` is set. Works in chunks; call it again if it is interrupted.
   */
  delete(id: string, options?: { readonly purge?: boolean }): Promise<DeletedAccount>;
  /** Returns the account and tokens that `delete` would delete with the same options. */
  previewDeletion(id: string, options?: { readonly purge?: boolean }): Promise<DeletionPreview>;
}

export interface AccountsOptions extends Pick<EnsureDependencies, "seal" | "tokenIdsByHash"> {
  readonly storage: DeletionStores;
  readonly plans: readonly Plan[];
  readonly clock: Clock;
  readonly random: Random;
}

export const OVERRIDE_MAX = 1_000_000_000;
/** RFC 5321, 4.5.3.1.3: a path has at most 256 octets, including its angle brackets. */
export const EMAIL_CHARACTERS_MAX = 254;
/**
 * An unquoted local part (RFC 5322, 3.2.3), and a domain of at least two labels, which is not an IP address. Domains in
 * other scripts are written in ASCII, as in `ada@example.xn--p1ai`.
 */
export const EMAIL_PATTERN =
  /^[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z][A-Za-z0-9-]{0,61}[A-Za-z0-9]$/;

export function createAccounts(options: AccountsOptions): Accounts {
  const { storage, plans, clock, random } = options;
  const { accounts: store } = storage;
  const get = async (id: string): Promise<Account> => {
    const account = await store.find(id);
    if (account === null) throw accountNotFound(id);
    return account;
  };
  const update = async (id: string, change: AccountChange): Promise<Account> => {
    const account = await store.update(id, change);
    if (account === null) throw accountNotFound(id);
    if (account === "email-taken") throw emailTaken(String(change.email));
    return account;
  };
  const accounts: Accounts = {
    async create(input) {
      const now = clock.now();
      const account: Account = {
        id: `acct_${randomHex(random, 10)}`,
        email: input.email,
        emailVerifiedAt: input.verified ? now : null,
        planSlug: input.planSlug ?? null,
        creditsPerPeriod: input.creditsPerPeriod ?? null,
        requestsPerMinute: input.requestsPerMinute ?? null,
        createdAt: now,
        suspendedAt: null,
        deletionStartedAt: null,
      };
      validate(account, plans);
      if (!(await store.insert(account))) throw emailTaken(account.email);
      return account;
    },
    ensure: (own) => ensureAccount({ ...options, accounts }, own),
    get,
    async getByEmail(email) {
      const account = await store.findByEmail(email);
      if (account === null) throw accountNotFound(email);
      return account;
    },
    async page(request) {
      // a page after an unknown account would be empty, like one past the end of the list
      if (request.after !== undefined) await get(request.after);
      return store.page(request);
    },
    list: () => store.list(),
    async update(id, given) {
      const change = withoutUndefined(given);
      validate(change, plans);
      return update(id, change);
    },
    verify: (id) => update(id, { emailVerifiedAt: clock.now() }),
    async suspend(id) {
      const account = await get(id);
      return account.suspendedAt === null ? update(id, { suspendedAt: clock.now() }) : account;
    },
    async resume(id) {
      const { deletionStartedAt } = await get(id);
      if (deletionStartedAt !== null)
        throw new AdminError(
          `the deletion of account ${id} has started; finish it with: snap-server accounts delete ${id} --yes`,
        );
      return update(id, { suspendedAt: null });
    },
    delete: (id, { purge = false } = {}) => deleteAccount(storage, { id, purge, now: clock.now() }),
    previewDeletion: (id, { purge = false } = {}) => previewDeletion(storage, { id, purge }),
  };
  return accounts;
}

function emailTaken(email: string): AdminError {
  return new AdminError(`the email address ${email} already belongs to another account`, {
    code: "email_taken",
  });
}

function invalid(message: string): AdminError {
  return new AdminError(message, { code: "invalid_value" });
}

function validate(values: AccountChange, plans: readonly Plan[]): void {
  const { email, planSlug, creditsPerPeriod, requestsPerMinute } = values;
  if (email === "") throw invalid("the email address must not be empty");
  if (email !== undefined && email.length > EMAIL_CHARACTERS_MAX)
    throw invalid(`the email address is too long (limit ${EMAIL_CHARACTERS_MAX} characters)`);
  if (email !== undefined && !EMAIL_PATTERN.test(email)) throw invalid(`${email} is not an email address`);
  const slugs = availablePlans(plans).map(({ slug }) => slug);
  if (planSlug != null && !slugs.includes(planSlug))
    throw invalid(`unknown plan ${planSlug}; use one of ${slugs.join(", ")}`);
  requireWhole("credits", creditsPerPeriod, 0);
  requireWhole("requests per minute", requestsPerMinute, 1);
}

function requireWhole(name: string, value: number | null | undefined, min: number): void {
  if (value == null) return;
  if (!Number.isInteger(value) || value < min || value > OVERRIDE_MAX)
    throw invalid(`${name} must be a whole number from ${min} to ${OVERRIDE_MAX}`);
}
