import type { Account, AccountChange, AccountStore } from "@snap/engine/ports";
import { isStorable, type Database } from "../database.ts";
import { isUniqueViolation } from "../faults.ts";

/** The columns of an account, named like its fields. */
const ACCOUNT_COLUMNS = `id, email, email_verified_at AS "emailVerifiedAt", plan_slug AS "planSlug",
  credits_per_period AS "creditsPerPeriod", requests_per_minute AS "requestsPerMinute", created_at AS "createdAt"`;

const CHANGEABLE: Readonly<Record<keyof AccountChange, string>> = {
  email: "email",
  emailVerifiedAt: "email_verified_at",
  planSlug: "plan_slug",
  creditsPerPeriod: "credits_per_period",
  requestsPerMinute: "requests_per_minute",
};

export function createAccountStore({ query, queryOnce }: Database): AccountStore {
  const find = async (id: string): Promise<Account | null> => {
    if (!isStorable(id)) return null;
    const [account = null] = await query<Account>(
      `SELECT ${ACCOUNT_COLUMNS} FROM snap.accounts WHERE id = $1`,
      [id],
    );
    return account;
  };
  return {
    find,
    async insert(account) {
      const { id, email, emailVerifiedAt, planSlug, creditsPerPeriod, requestsPerMinute, createdAt } =
        account;
      const rows = await queryOnce(
        `INSERT INTO snap.accounts (id, email, email_verified_at, plan_slug, credits_per_period, requests_per_minute, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7)
         ON CONFLICT (lower(email COLLATE "C") COLLATE "C") DO NOTHING RETURNING id`,
        [id, email, emailVerifiedAt, planSlug, creditsPerPeriod, requestsPerMinute, createdAt],
      );
      return rows.length === 1;
    },
    list: () => query<Account>(`SELECT ${ACCOUNT_COLUMNS} FROM snap.accounts ORDER BY sequence`),
    async update(id, change) {
      const changed = Object.entries(change).filter(([, value]) => value !== undefined);
      if (changed.length === 0 || !isStorable(id)) return find(id);
      const settings = changed.map(
        ([name], index) => `${CHANGEABLE[name as keyof AccountChange]} = $${index + 2}`,
      );
      try {
        const [account = null] = await query<Account>(
          `UPDATE snap.accounts SET ${settings.join(", ")} WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
          [id, ...changed.map(([, value]) => value)],
        );
        return account;
      } catch (error) {
        if (isUniqueViolation(error)) return "email-taken";
        throw error;
      }
    },
  };
}
