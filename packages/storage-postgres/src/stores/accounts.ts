import type { Account, AccountChange, AccountStore, Page } from "@snap/engine/ports";
import { isStorable, type Database } from "../database.ts";
import { isUniqueViolation } from "../faults.ts";

/** An account's columns, aliased to the names of its fields. */
const ACCOUNT_COLUMNS = `id, email, email_verified_at AS "emailVerifiedAt", plan_slug AS "planSlug",
  credits_per_period AS "creditsPerPeriod", requests_per_minute AS "requestsPerMinute", created_at AS "createdAt",
  suspended_at AS "suspendedAt", deletion_started_at AS "deletionStartedAt"`;

/** The expression of the unique index: folds only ASCII letters. */
const FOLDED_EMAIL = `lower(email COLLATE "C") COLLATE "C"`;

/**
 * A page of accounts, with the number of accounts from its start to the end of the list. Returns a row even with a limit of
 * 0, because each contains that number.
 */
const PAGE = `SELECT ${ACCOUNT_COLUMNS}, count(*) OVER () AS matched FROM snap.accounts
  WHERE sequence > CASE WHEN $1::TEXT IS NULL THEN 0 ELSE (SELECT sequence FROM snap.accounts WHERE id = $1) END
    AND strpos(${FOLDED_EMAIL}, lower($2 COLLATE "C") COLLATE "C") > 0
    AND ($3::BOOLEAN OR plan_slug IS NOT DISTINCT FROM $4)
    AND ($5::BOOLEAN IS NULL OR (email_verified_at IS NOT NULL) = $5)
  ORDER BY sequence LIMIT greatest($6, 1)`;

const EMPTY_PAGE: Page<Account> = { entries: [], more: 0 };

const CHANGEABLE_COLUMNS: Readonly<Record<keyof AccountChange, string>> = {
  email: "email",
  emailVerifiedAt: "email_verified_at",
  planSlug: "plan_slug",
  creditsPerPeriod: "credits_per_period",
  requestsPerMinute: "requests_per_minute",
  suspendedAt: "suspended_at",
};

export function createAccountStore(database: Database): AccountStore {
  const { query, queryOnce } = database;
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
    async findByEmail(email) {
      if (!isStorable(email)) return null;
      const [account = null] = await query<Account>(
        `SELECT ${ACCOUNT_COLUMNS} FROM snap.accounts WHERE ${FOLDED_EMAIL} = lower($1 COLLATE "C") COLLATE "C"`,
        [email],
      );
      return account;
    },
    async page({ limit, after, emailPart, planSlug, isVerified }) {
      if (![after ?? "", emailPart ?? "", planSlug ?? ""].every(isStorable)) return EMPTY_PAGE;
      const rows = await query<Account & { readonly matched: number }>(PAGE, [
        after ?? null,
        emailPart ?? "",
        planSlug === undefined,
        planSlug ?? null,
        isVerified ?? null,
        limit,
      ]);
      const entries = rows.slice(0, limit).map((row) => {
        const { matched: _, ...account } = row;
        return account;
      });
      return { entries, more: (rows[0]?.matched ?? 0) - entries.length };
    },
    async insert(account) {
      const { id, email, emailVerifiedAt, planSlug, creditsPerPeriod, requestsPerMinute, createdAt } =
        account;
      const { suspendedAt, deletionStartedAt } = account;
      const rows = await queryOnce(
        `INSERT INTO snap.accounts (id, email, email_verified_at, plan_slug, credits_per_period, requests_per_minute, created_at,
           suspended_at, deletion_started_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         ON CONFLICT (${FOLDED_EMAIL}) DO NOTHING RETURNING id`,
        [
          id,
          email,
          emailVerifiedAt,
          planSlug,
          creditsPerPeriod,
          requestsPerMinute,
          createdAt,
          suspendedAt,
          deletionStartedAt,
        ],
      );
      return rows.length === 1;
    },
    list: () => query<Account>(`SELECT ${ACCOUNT_COLUMNS} FROM snap.accounts ORDER BY sequence`),
    async update(id, change) {
      const changed = Object.entries(change).filter(([, value]) => value !== undefined);
      if (changed.length === 0 || !isStorable(id)) return find(id);
      const assignments = changed.map(
        ([name], index) => `${CHANGEABLE_COLUMNS[name as keyof AccountChange]} = $${index + 2}`,
      );
      try {
        const [account = null] = await query<Account>(
          `UPDATE snap.accounts SET ${assignments.join(", ")} WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
          [id, ...changed.map(([, value]) => value)],
        );
        return account;
      } catch (error) {
        if (isUniqueViolation(error)) return "email-taken";
        throw error;
      }
    },
    ...createAccountRemover(database),
  };
}

const ADD_DELETION = `INSERT INTO snap.deletions (digest, deleted_at) VALUES (snap.digest_of($1), $2)
  ON CONFLICT (digest) DO UPDATE SET deleted_at = excluded.deleted_at`;

/** The first and the last step of a deletion, and the pruning of its record. */
function createAccountRemover(database: Database): Pick<AccountStore, "startDeletion" | "delete" | "prune"> {
  return {
    async startDeletion({ id, now }) {
      if (!isStorable(id)) return null;
      return database.transaction(async (inTransaction) => {
        const [account = null] = await inTransaction<Account>(
          `UPDATE snap.accounts SET suspended_at = coalesce(suspended_at, $2),
             deletion_started_at = coalesce(deletion_started_at, $2)
           WHERE id = $1 RETURNING ${ACCOUNT_COLUMNS}`,
          [id, now],
        );
        if (account !== null) await inTransaction(ADD_DELETION, [id, now]);
        return account;
      });
    },
    async delete({ id, now }) {
      if (!isStorable(id)) return false;
      // the first transaction may have committed when its connection was lost
      let hasDeleted = false;
      return database.transaction(async (inTransaction) => {
        await inTransaction("DELETE FROM snap.tokens WHERE account_id = $1", [id]);
        const deleted = await inTransaction("DELETE FROM snap.accounts WHERE id = $1 RETURNING id", [id]);
        if (deleted.length === 0) return hasDeleted;
        await inTransaction(ADD_DELETION, [id, now]);
        hasDeleted = true;
        return true;
      });
    },
    async prune({ before, limit }) {
      const pruned = await database.query(
        `DELETE FROM snap.deletions WHERE digest IN (
           SELECT digest FROM snap.deletions WHERE deleted_at < $1 AND NOT EXISTS (
             SELECT 1 FROM snap.accounts WHERE deletion_started_at IS NOT NULL AND snap.digest_of(id) = digest
           ) LIMIT $2 FOR UPDATE SKIP LOCKED
         ) RETURNING digest`,
        [before, limit],
      );
      return pruned.length;
    },
  };
}
