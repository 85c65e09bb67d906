import { createHash } from "node:crypto";
import type pg from "pg";
import { ACCOUNTS, CREDITS, pageUrl, PERIOD, SECRET } from "./stored.ts";

/*
 * Fills PostgreSQL as years of use would, straight by SQL, with the same accounts as stored.ts. What is
 * written here is plain numbers and texts of our own.
 */

/** Fills an empty, migrated database. */
export type Fill = (client: pg.Client, count: number) => Promise<void>;

const ACCOUNT_OF_N = `'acct_' || lpad((n % ${ACCOUNTS})::TEXT, 4, '0')`;
const numbers = (count: number): string => `generate_series(0, ${count - 1}) AS n`;

async function fillAccounts(client: pg.Client): Promise<void> {
  await client.query(
    `INSERT INTO snap.accounts (id, email, email_verified_at, plan_slug, credits_per_period, requests_per_minute, created_at)
     SELECT ${ACCOUNT_OF_N}, n || '@example.com', 0, 'scale', ${CREDITS}, ${CREDITS}, ${PERIOD.startedAt} FROM ${numbers(ACCOUNTS)}`,
  );
}

export const fillTokens: Fill = async (client, count) => {
  await fillAccounts(client);
  const hash = createHash("sha256").update(SECRET).digest("hex");
  await client.query(
    `INSERT INTO snap.tokens (account_id, abilities, secret_hash, sealed_signing_secret, created_at)
     SELECT ${ACCOUNT_OF_N}, 'screenshot pdf', decode('${hash}', 'hex'), decode(repeat(md5(n::TEXT), 4), 'hex'), 0
     FROM ${numbers(count)}`,
  );
};

/** Two lines for each reservation, which has been settled. */
export const fillJournal: Fill = async (client, lines) => {
  const count = lines / 2;
  await client.query(
    `INSERT INTO snap.balances (account_id, period_started_at, granted)
     SELECT ${ACCOUNT_OF_N}, ${PERIOD.startedAt}, ${CREDITS} FROM ${numbers(ACCOUNTS)}`,
  );
  // One a millisecond, in the form that the engine gives them.
  const id = `lpad(to_hex(${PERIOD.startedAt} - ${count} + n), 12, '0') || lpad(to_hex(n), 20, '0')`;
  await client.query(
    `INSERT INTO snap.reservations (id, account_id, period_started_at, lapses_at, state)
     SELECT ${id}, ${ACCOUNT_OF_N}, ${PERIOD.startedAt}, 0, 'settled' FROM ${numbers(count)}`,
  );
  await client.query(
    `INSERT INTO snap.journal (account_id, period_started_at, kind, credits, reservation_id, at)
     SELECT ${ACCOUNT_OF_N}, ${PERIOD.startedAt}, kind, 1, ${id}, 0
     FROM ${numbers(count)} CROSS JOIN (VALUES ('reserve'), ('settle')) AS kinds (kind)`,
  );
};

const WAITING = 10;
const ITEMS = 20;

/** Finished batches of one item, and ten of twenty items that wait. */
export const fillBatches: Fill = async (client, count) => {
  const states = {
    done: { status: "done", etag: '"0"', targetStatus: 200, expiresAt: 0, creditCost: 1 },
    queued: { status: "queued", dueAt: 0, starts: 0, fence: 0, limitedSince: null },
  };
  const insertItems = (status: keyof typeof states, where: string, items: number): Promise<unknown> =>
    client.query(
      `INSERT INTO snap.batch_items (batch, position, id, account_id, key, parameters, state, status, claimable_at)
       SELECT sequence, p, 'item_' || sequence || '_' || p, account_id, 'key', $1, $2, '${status}',
         ${status === "queued" ? 0 : "NULL"}
       FROM snap.batches CROSS JOIN generate_series(0, ${items - 1}) AS p WHERE ${where}`,
      [JSON.stringify({ url: pageUrl(0) }), JSON.stringify(states[status])],
    );
  await client.query(
    `INSERT INTO snap.batches (id, account_id, token_id, created_at, finished_at, prunes_at)
     SELECT 'batch_' || n, ${ACCOUNT_OF_N}, 1, n,
       CASE WHEN n >= ${WAITING} THEN 0 END, CASE WHEN n >= ${WAITING} THEN ${PERIOD.resetsAt} END
     FROM ${numbers(count)}`,
  );
  await insertItems("queued", "finished_at IS NULL", ITEMS);
  await insertItems("done", "finished_at IS NOT NULL", 1);
};
