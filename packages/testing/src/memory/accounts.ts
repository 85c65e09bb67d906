import type { Account, AccountFilter, AccountStore } from "@snap/engine/ports";
import { pageOf } from "./page-of.ts";

export interface AccountDependencies {
  readonly accounts: Map<string, Account>;
  /**
   * The instant of the latest call of `startDeletion`, `delete` or `RenderingStore.deleteAccount`, by account
   * id.
   */
  readonly deletions: Map<string, number>;
  readonly revokeAll: (accountId: string) => void;
}

/** Accounts in memory, in order of creation. */
export function createAccountStore({ accounts, deletions, revokeAll }: AccountDependencies): AccountStore {
  const isTaken = (email: string, exceptId?: string): boolean =>
    [...accounts.values()].some((other) => other.id !== exceptId && fold(other.email) === fold(email));
  return {
    async insert(account) {
      if (isTaken(account.email)) return false;
      if (accounts.has(account.id)) throw new Error(`account ${account.id} already exists`);
      accounts.set(account.id, { ...account });
      return true;
    },
    async find(id) {
      return structuredClone(accounts.get(id) ?? null);
    },
    async findByEmail(email) {
      const found = [...accounts.values()].find((account) => fold(account.email) === fold(email));
      return structuredClone(found ?? null);
    },
    async page({ after, limit, ...filter }) {
      return pageOf([...accounts.values()], {
        after,
        limit,
        matches: (account) => isSelected(account, filter),
      });
    },
    async list() {
      return structuredClone([...accounts.values()]);
    },
    async update(id, change) {
      const account = accounts.get(id);
      if (account === undefined) return null;
      if (change.email !== undefined && isTaken(change.email, id)) return "email-taken";
      const changed = { ...account, ...change };
      accounts.set(id, changed);
      return { ...changed };
    },
    async startDeletion({ id, now }) {
      const account = accounts.get(id);
      if (account === undefined) return null;
      const { suspendedAt, deletionStartedAt } = account;
      const started = {
        ...account,
        suspendedAt: suspendedAt ?? now,
        deletionStartedAt: deletionStartedAt ?? now,
      };
      accounts.set(id, started);
      deletions.set(id, now);
      return { ...started };
    },
    async delete({ id, now }) {
      if (!accounts.delete(id)) return false;
      revokeAll(id);
      deletions.set(id, now);
      return true;
    },
    async prune({ before, limit }) {
      const ended = [...deletions].filter(([id, at]) => at < before && !accounts.has(id)).slice(0, limit);
      for (const [id] of ended) deletions.delete(id);
      return ended.length;
    },
  };
}

function isSelected(account: Account, { emailPart = "", planSlug, isVerified }: AccountFilter): boolean {
  return (
    fold(account.email).includes(fold(emailPart)) &&
    (planSlug === undefined || account.planSlug === planSlug) &&
    (isVerified === undefined || (account.emailVerifiedAt !== null) === isVerified)
  );
}

/** Lowercases only ASCII letters, as `AccountStore` requires. */
function fold(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
