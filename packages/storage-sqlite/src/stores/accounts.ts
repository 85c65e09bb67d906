import type { Account, AccountStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { truncateLog } from "../truncate-log.ts";
import type { LedgerReserve } from "../ledger-reserve.ts";
import { copyRow, prepare } from "../prepare.ts";
import { durably, transactDurably } from "../transaction.ts";
import type { Deletions } from "./deletions.ts";

/** An account's columns, aliased to the names of its fields. */
export const ACCOUNT_COLUMNS = `id, email, email_verified_at AS emailVerifiedAt, plan_slug AS planSlug,
  credits_per_period AS creditsPerPeriod, requests_per_minute AS requestsPerMinute, created_at AS createdAt,
  suspended_at AS suspendedAt, deletion_started_at AS deletionStartedAt`;

/**
 * The accounts on a page, and all after them. `after` is `NULL` for the first page; if no account has that id, nothing
 * matches.
 */
const MATCHING = `FROM accounts
  WHERE sequence > CASE WHEN :after IS NULL THEN -1 ELSE (SELECT sequence FROM accounts WHERE id = :after) END
    AND instr(lower(email), lower(:emailPart)) > 0
    AND (:anyPlan OR plan_slug IS :planSlug)
    AND (:isVerified IS NULL OR (email_verified_at IS NOT NULL) = :isVerified)`;

export interface AccountDependencies {
  readonly deletions: Deletions;
  readonly ledgerReserve: LedgerReserve;
}

export function createAccountStore(database: DatabaseSync, dependencies: AccountDependencies): AccountStore {
  const insert = prepare(
    database,
    `INSERT INTO accounts (id, email, email_verified_at, plan_slug, credits_per_period, requests_per_minute, created_at,
       suspended_at, deletion_started_at)
     VALUES (:id, :email, :emailVerifiedAt, :planSlug, :creditsPerPeriod, :requestsPerMinute, :createdAt,
       :suspendedAt, :deletionStartedAt)
     ON CONFLICT (email) DO NOTHING`,
  );
  const find = prepare<Account>(database, `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE id = :id`);
  const findByEmail = prepare<Account>(
    database,
    `SELECT ${ACCOUNT_COLUMNS} FROM accounts WHERE email = :email`,
  );
  const page = prepare<Account>(
    database,
    `SELECT ${ACCOUNT_COLUMNS} ${MATCHING} ORDER BY sequence LIMIT :limit`,
  );
  const count = prepare<{ readonly matched: number }>(database, `SELECT count(*) AS matched ${MATCHING}`);
  const list = prepare<Account>(database, `SELECT ${ACCOUNT_COLUMNS} FROM accounts ORDER BY sequence`);
  const findOther = prepare<{ id: string }>(
    database,
    "SELECT id FROM accounts WHERE email = :email AND id <> :id",
  );
  const update = prepare(
    database,
    `UPDATE accounts SET email = :email, email_verified_at = :emailVerifiedAt, plan_slug = :planSlug,
       credits_per_period = :creditsPerPeriod, requests_per_minute = :requestsPerMinute,
       suspended_at = :suspendedAt
     WHERE id = :id`,
  );
  const read = (id: string): Account | null => {
    const row = find.get({ id });
    return row === undefined ? null : copyRow(row);
  };

  return {
    async insert(account) {
      return durably(database, () => insert.run({ ...account }).changes === 1);
    },
    async find(id) {
      return read(id);
    },
    async findByEmail(email) {
      const row = findByEmail.get({ email });
      return row === undefined ? null : copyRow(row);
    },
    async page({ limit, after, emailPart, planSlug, isVerified }) {
      const selection = {
        after: after ?? null,
        emailPart: emailPart ?? "",
        anyPlan: planSlug === undefined ? 1 : 0,
        planSlug: planSlug ?? null,
        isVerified: isVerified === undefined ? null : Number(isVerified),
      };
      const entries = page.all({ ...selection, limit }).map(copyRow);
      return { entries, more: Math.max(0, (count.get(selection)?.matched ?? 0) - entries.length) };
    },
    async list() {
      return list.all().map(copyRow);
    },
    async update(id, change) {
      const readAndUpdate = (): Account | "email-taken" | null => {
        const account = read(id);
        if (account === null) return null;
        const changed = { ...account, ...change };
        if (findOther.get({ id, email: changed.email }) !== undefined) return "email-taken";
        const { createdAt: _, deletionStartedAt: __, ...values } = changed;
        update.run(values);
        return changed;
      };
      return transactDurably(database, readAndUpdate);
    },
    ...createAccountRemover(database, dependencies),
  };
}

/** The first and the last step of a deletion, and the pruning of its record. */
function createAccountRemover(
  database: DatabaseSync,
  { deletions, ledgerReserve }: AccountDependencies,
): Pick<AccountStore, "startDeletion" | "delete" | "prune"> {
  const start = prepare<Account>(
    database,
    `UPDATE accounts SET suspended_at = coalesce(suspended_at, :now),
       deletion_started_at = coalesce(deletion_started_at, :now)
     WHERE id = :id RETURNING ${ACCOUNT_COLUMNS}`,
  );
  const removeTokens = prepare(database, "DELETE FROM tokens WHERE account_id = :id");
  const remove = prepare(database, "DELETE FROM accounts WHERE id = :id");

  return {
    async startDeletion({ id, now }) {
      const markStarted = (): Account | null => {
        const [account] = start.all({ id, now });
        if (account === undefined) return null;
        deletions.add(id, now);
        return copyRow(account);
      };
      return transactDurably(database, markStarted);
    },
    async delete({ id, now }) {
      const removeRows = (): boolean => {
        removeTokens.run({ id });
        if (remove.run({ id }).changes === 0) return false;
        deletions.add(id, now);
        return true;
      };
      const existed = transactDurably(database, removeRows);
      await truncateLog(database, ledgerReserve);
      return existed;
    },
    prune: async (request) => deletions.prune(request),
  };
}
