import type { AttemptRecord, BatchStore } from "@snap/engine/ports";
import { isStorable, type Database } from "../database.ts";

const ATTEMPTS_PER_BATCH_MAX = 100;

/** The default, `~`, sorts after every id. */
const BEFORE = "coalesce($2::TEXT, '~')";

/** `$1`: limit; `$2`: last id of the previous page; `$3`: batch; `$4`: account. */
const PAGES = {
  all: pageOf(`id < ${BEFORE}`, "id DESC"),
  byBatch: pageOf(`batch = (SELECT sequence FROM snap.batches WHERE id = $3) AND id < ${BEFORE}`, "id DESC"),
  // compares and sorts by both columns of the index, like `pageOn` in history-pages.ts
  byAccount: pageOf(`account_id >= $4 AND (account_id, id) < ($4, ${BEFORE})`, "account_id DESC, id DESC"),
};

export function createDeliveryAttempts(database: Database): Pick<BatchStore, "recordAttempt" | "attempts"> {
  const { query } = database;
  return {
    async recordAttempt({ id, batchId, accountId, at, attempt, durationMs, status, failure, body }) {
      if (!isStorable(batchId)) return;
      await database.transaction(async (inTransaction) => {
        // locks the batch, so concurrent calls take turns counting its attempts
        const [batch] = await inTransaction<{ sequence: number }>(
          "SELECT sequence FROM snap.batches WHERE id = $1 FOR NO KEY UPDATE",
          [batchId],
        );
        if (batch === undefined) return null;
        await inTransaction(
          `INSERT INTO snap.delivery_attempts (batch, id, account_id, at, attempt, duration_ms, status, failure, body)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO NOTHING`,
          [batch.sequence, id, accountId, at, attempt, durationMs, status, failure, body],
        );
        return inTransaction(
          `DELETE FROM snap.delivery_attempts WHERE id IN (
             SELECT id FROM snap.delivery_attempts WHERE batch = $1 ORDER BY id DESC OFFSET ${ATTEMPTS_PER_BATCH_MAX})`,
          [batch.sequence],
        );
      });
    },
    async attempts({ after, limit, batchId, accountId }) {
      const emptyPage = { entries: [], hasMore: false };
      if (![after ?? "", batchId ?? "", accountId ?? ""].every(isStorable)) return emptyPage;
      const isUnknown = async (id: string): Promise<boolean> =>
        (await query("SELECT 1 FROM snap.delivery_attempts WHERE id = $1", [id])).length === 0;
      if (after !== undefined && (await isUnknown(after))) return emptyPage;
      const filters = [after ?? null, batchId ?? null, accountId ?? null];
      const page =
        batchId === undefined ? (accountId === undefined ? PAGES.all : PAGES.byAccount) : PAGES.byBatch;
      const rows = await query<AttemptRecord>(page, [limit + 1, ...filters]);
      return { entries: rows.slice(0, limit), hasMore: rows.length > limit };
    },
  };
}

function pageOf(condition: string, order: string): string {
  return `SELECT attempts.id, batches.id AS "batchId", attempts.account_id AS "accountId", at, attempt,
      duration_ms AS "durationMs", status, failure, body
    FROM (
      SELECT * FROM snap.delivery_attempts WHERE ${condition} AND ($4::TEXT IS NULL OR account_id = $4)
      ORDER BY ${order} LIMIT $1
    ) AS attempts JOIN snap.batches ON sequence = batch
    WHERE $3::TEXT IS NULL OR batches.id = $3 ORDER BY attempts.id DESC`;
}
