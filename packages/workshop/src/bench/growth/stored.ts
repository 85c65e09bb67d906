import { parseParameters } from "@snap/engine";
import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import { cacheKey } from "../../../../engine/src/parameters/cache-key.ts";

/*
 * Fills the embedded storage as years of use would, straight by SQL. Spread over a thousand accounts,
 * each of which is there from the start.
 */

export const ACCOUNTS = 1000;
/** Of all tokens. */
export const SECRET = "s".repeat(43);
export const PERIOD = { startedAt: Date.UTC(2026, 0, 1), resetsAt: Date.UTC(2100, 0, 1) } as const;
export const CREDITS = 1_000_000;

/** The numbers from 0 up to `:count`, as a table. */
const NUMBERS = `WITH RECURSIVE numbers (n) AS
  (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < :count)`;

export const accountId = (index: number): string => `acct_${String(index % ACCOUNTS).padStart(4, "0")}`;
export const pageUrl = (index: number): string => `https://example.com/${index}`;
const ACCOUNT_OF_N = `printf('acct_%04d', n % ${ACCOUNTS})`;
/** In runs, so that the index of a long table grows at its ends only. */
const ACCOUNT_OF_RUN = `printf('acct_%04d', n * ${ACCOUNTS} / :count)`;

export function fillAccounts(database: DatabaseSync): void {
  database
    .prepare(
      `${NUMBERS} INSERT INTO accounts (id, email, email_verified_at, plan_slug, credits_per_period, requests_per_minute, created_at)
       SELECT ${ACCOUNT_OF_N}, n || '@example.com', 0, 'scale', ${CREDITS}, ${CREDITS}, ${PERIOD.startedAt} FROM numbers`,
    )
    .run({ count: ACCOUNTS });
}

export function fillTokens(database: DatabaseSync, count: number): void {
  database
    .prepare(
      `${NUMBERS} INSERT INTO tokens (id, account_id, abilities, secret_hash, sealed_signing_secret, created_at)
       SELECT n + 1, ${ACCOUNT_OF_N}, 'screenshot pdf', :hash, randomblob(71), 0 FROM numbers`,
    )
    .run({ count, hash: createHash("sha256").update(SECRET).digest() });
}

export function fillRenderings(database: DatabaseSync, count: number): void {
  const insert = database.prepare(
    `INSERT INTO renderings (account_id, key, content_type, target_status, notes, etag, stored_at, expires_at, bytes)
     VALUES (?, ?, 'image/png', 200, '[]', ?, 0, ${PERIOD.resetsAt}, ?)`,
  );
  const parameters = parseParameters({ url: pageUrl(0) });
  const bytes = Buffer.alloc(200, "a small body");
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
  for (let index = 0; index < count; index += 1) {
    const key = cacheKey({ ...parameters, url: pageUrl(index) });
    insert.run(accountId(index), key, etag, bytes);
  }
}

/** Two lines for each reservation, which has been settled. */
export function fillJournal(database: DatabaseSync, lines: number): void {
  const count = lines / 2;
  database
    .prepare(
      `${NUMBERS} INSERT INTO balances (account_id, period_started_at, granted)
       SELECT ${ACCOUNT_OF_N}, ${PERIOD.startedAt}, ${CREDITS} FROM numbers`,
    )
    .run({ count: ACCOUNTS });
  // One a millisecond, in the form that the engine gives them.
  const id = `printf('%012x%020x', ${PERIOD.startedAt} - :count + n, n)`;
  database
    .prepare(
      `${NUMBERS} INSERT INTO reservations (id, account_id, period_started_at, lapses_at, state)
       SELECT ${id}, ${ACCOUNT_OF_RUN}, ${PERIOD.startedAt}, 0, 'settled' FROM numbers`,
    )
    .run({ count });
  database
    .prepare(
      `${NUMBERS} INSERT INTO journal (account_id, period_started_at, kind, credits, reservation_id, at)
       SELECT ${ACCOUNT_OF_RUN}, ${PERIOD.startedAt}, kind, 1, ${id}, 0
       FROM numbers, (SELECT 'reserve' AS kind UNION ALL SELECT 'settle')`,
    )
    .run({ count });
}

const ITEMS = 20;
const BATCH_ACCOUNTS = 10;

/** Batches of twenty items, all of them due, of ten accounts. */
export function fillBatches(database: DatabaseSync, count: number): void {
  const account = `printf('acct_%04d', n % ${BATCH_ACCOUNTS})`;
  database
    .prepare(
      `${NUMBERS} INSERT INTO batches (sequence, id, account_id, token_id, created_at)
       SELECT n + 1, 'batch_' || n, ${account}, 1, n FROM numbers`,
    )
    .run({ count });
  const state = JSON.stringify({ status: "queued", dueAt: 0, starts: 0, fence: 0, limitedSince: null });
  database
    .prepare(
      `${NUMBERS}, positions (p) AS (SELECT 0 UNION ALL SELECT p + 1 FROM positions WHERE p + 1 < ${ITEMS})
       INSERT INTO batch_items (batch, position, id, account_id, key, parameters, state, status, claimable_at)
       SELECT n + 1, p, 'item_' || n || '_' || p, ${account}, 'key_' || n || '_' || p, :parameters, :state, 'queued', 0
       FROM numbers, positions`,
    )
    .run({ count, state, parameters: JSON.stringify({ url: pageUrl(0) }) });
}
