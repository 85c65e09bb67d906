import type { AttemptRecord, BatchStore } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { copyRow, prepare, type Statement } from "../prepare.ts";
import { transact } from "../transaction.ts";

const ATTEMPTS_PER_BATCH_MAX = 100;

export function createDeliveryAttempts(
  database: DatabaseSync,
): Pick<BatchStore, "recordAttempt" | "attempts"> {
  const insert = prepare<{ batch: number }>(
    database,
    `INSERT INTO delivery_attempts (batch, id, account_id, at, attempt, duration_ms, status, failure, body)
     SELECT sequence, :id, :accountId, :at, :attempt, :durationMs, :status, :failure, :body
     FROM batches WHERE id = :batchId RETURNING batch`,
  );
  const removeSurplus = prepare(
    database,
    `DELETE FROM delivery_attempts WHERE id IN (
       SELECT id FROM delivery_attempts WHERE batch = :batch ORDER BY id DESC LIMIT -1 OFFSET ${ATTEMPTS_PER_BATCH_MAX})`,
  );
  const pages = {
    all: preparePage(database, "TRUE"),
    byAccount: preparePage(database, "delivery_attempts.account_id = :accountId"),
    byBatch: preparePage(
      database,
      `batch = (SELECT sequence FROM batches WHERE id = :batchId)
         AND (:accountId IS NULL OR delivery_attempts.account_id = :accountId)`,
    ),
  };

  return {
    async recordAttempt(attempt) {
      transact(database, () => {
        for (const { batch } of insert.all({ ...attempt })) removeSurplus.run({ batch });
      });
    },
    async attempts({ after, limit, batchId, accountId }) {
      const page =
        batchId === undefined ? (accountId === undefined ? pages.all : pages.byAccount) : pages.byBatch;
      const rows = page.all({
        after: after ?? null,
        batchId: batchId ?? null,
        accountId: accountId ?? null,
        limit: limit + 1,
      });
      return { entries: rows.slice(0, limit).map(copyRow), hasMore: rows.length > limit };
    },
  };
}

/** For the first page, `after` is `NULL`; every text sorts before a blob. The page is empty if `after` is unknown. */
function preparePage(database: DatabaseSync, condition: string): Statement<AttemptRecord> {
  return prepare(
    database,
    `SELECT delivery_attempts.id, batches.id AS batchId, delivery_attempts.account_id AS accountId, at, attempt,
       duration_ms AS durationMs, status, failure, body
     FROM delivery_attempts CROSS JOIN batches ON sequence = batch
     WHERE ${condition} AND delivery_attempts.id < CASE WHEN :after IS NULL THEN x''
       ELSE (SELECT id FROM delivery_attempts WHERE id = :after) END
     ORDER BY delivery_attempts.id DESC LIMIT :limit`,
  );
}
