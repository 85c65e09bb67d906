import { createHash } from "node:crypto";

/*
 * Fills a storage with years of data, directly with SQL. The statements contain only numbers and
 * constants, so nothing needs escaping.
 */

/** Returns the statements that fill an empty, migrated database. */
export type Fill = (count: number) => string[];

export const ACCOUNTS = 1000;
/** Every token has this secret. */
export const SECRET = "s".repeat(43);
export const PERIOD = { startedAt: Date.UTC(2026, 0, 1), resetsAt: Date.UTC(2100, 0, 1) } as const;
export const CREDITS = 1_000_000;

export const accountId = (index: number): string => `acct_${index % ACCOUNTS}`;
const ACCOUNT_ID_SQL = `'acct_' || (n % ${ACCOUNTS})`;

/** A recursive table of the numbers from 0 to `count - 1`. */
const series = (table: string, column: string, count: number): string =>
  `${table} (${column}) AS (SELECT 0 UNION ALL SELECT ${column} + 1 FROM ${table} WHERE ${column} + 1 < ${count})`;
const numbers = (count: number): string => `WITH RECURSIVE ${series("numbers", "n", count)}`;

const fillAccounts = (): string[] => [
  `${numbers(ACCOUNTS)} INSERT INTO accounts (id, email, email_verified_at, plan_slug, credits_per_period, requests_per_minute, created_at)
   SELECT ${ACCOUNT_ID_SQL}, n || '@example.com', 0, 'scale', ${CREDITS}, ${CREDITS}, ${PERIOD.startedAt} FROM numbers`,
];

export const fillTokens: Fill = (count) => [
  ...fillAccounts(),
  `${numbers(count)} INSERT INTO tokens (account_id, abilities, secret_hash, sealed_signing_secret, created_at)
   SELECT ${ACCOUNT_ID_SQL}, 'screenshot pdf', x'${createHash("sha256").update(SECRET).digest("hex")}', x'${"5a".repeat(71)}', 0
   FROM numbers`,
];

/** Each reservation is settled, and has two journal entries. */
export const fillJournal: Fill = (lines) => {
  const count = lines / 2;
  // Ids in ascending order that sort before the engine's ids.
  const id = "'0000' || (1000000000 + n)";
  return [
    `${numbers(ACCOUNTS)} INSERT INTO balances (account_id, period_started_at, granted)
     SELECT ${ACCOUNT_ID_SQL}, ${PERIOD.startedAt}, ${CREDITS} FROM numbers`,
    `${numbers(count)} INSERT INTO reservations (id, account_id, period_started_at, lapses_at, state)
     SELECT ${id}, ${ACCOUNT_ID_SQL}, ${PERIOD.startedAt}, 0, 'settled' FROM numbers`,
    `${numbers(count)} INSERT INTO journal (account_id, period_started_at, kind, credits, reservation_id, at)
     SELECT ${ACCOUNT_ID_SQL}, ${PERIOD.startedAt}, kind, 1, ${id}, 0
     FROM numbers CROSS JOIN (SELECT 'reserve' AS kind UNION ALL SELECT 'settle') AS kinds`,
  ];
};

const ITEMS = 20;
const BATCH_ACCOUNTS = 10;
const QUEUED_STATE = { status: "queued", dueAt: 0, starts: 0, fence: 0, limitedSince: null };

/** Batches for ten accounts, all due, with twenty items each. */
export const fillBatches: Fill = (count) => [
  `${numbers(count)} INSERT INTO batches (id, account_id, token_id, created_at)
   SELECT 'batch_' || n, 'acct_' || (n % ${BATCH_ACCOUNTS}), 1, n FROM numbers`,
  `WITH RECURSIVE ${series("positions", "p", ITEMS)}
   INSERT INTO batch_items (batch, position, id, account_id, key, parameters, state, status, claimable_at)
   SELECT sequence, p, 'item_' || sequence || '_' || p, account_id, 'key_' || sequence || '_' || p,
     '{"url":"https://example.com/"}', '${JSON.stringify(QUEUED_STATE)}', 'queued', 0
   FROM batches CROSS JOIN positions`,
];
