import type { Activity, HistoryEntry, HistoryStore } from "@snap/engine/ports";
import { isStorable, type Database } from "../database.ts";
import { createHistoryPages } from "./history-pages.ts";
import { deleteInChunks } from "./delete-in-chunks.ts";
import { createUsageReader } from "./usage.ts";

const ROWS_PER_STATEMENT = 1000;

const ENTRY_FIELDS = `id TEXT, at BIGINT, "requestId" TEXT, "batchId" TEXT, "accountId" TEXT, "tokenId" BIGINT,
  "entryPoint" TEXT, mode TEXT, host TEXT, parameters TEXT, notes TEXT, code TEXT, message TEXT, "durationMs" BIGINT,
  cache TEXT, "creditCost" INTEGER, key TEXT, etag TEXT, bytes BIGINT, "targetStatus" INTEGER, "expiresAt" BIGINT`;

/**
 * `$1`: accounts; `$2`: entries; `$3`: totals. A single statement is atomic. Sorting the totals makes all processes
 * lock them in the same order.
 */
const APPEND = `WITH existing_accounts AS MATERIALIZED (
    SELECT account_id FROM unnest($1::TEXT[]) AS account_id WHERE NOT snap.is_deleted(account_id)
  ), inserted AS (
    INSERT INTO snap.history (id, at, request_id, batch_id, account_id, token_id, entry_point, mode, host, parameters,
      notes, code, message, duration_ms, cache, credit_cost, key, etag, bytes, target_status, expires_at)
    SELECT id, at, "requestId", "batchId", "accountId", "tokenId", "entryPoint", mode, host, parameters,
      notes, code, message, "durationMs", cache, "creditCost", key, etag, bytes, "targetStatus", "expiresAt"
    FROM json_to_recordset($2::JSON) AS entry (${ENTRY_FIELDS})
    WHERE "accountId" IN (SELECT account_id FROM existing_accounts)
  )
  INSERT INTO snap.usage_totals AS existing
    (day, token_id, account_id, renders, hits, failures, credits, render_ms, longest_render_ms)
  SELECT day, "tokenId", "accountId", sum(renders), sum(hits), sum(failures), sum(credits), sum("renderMs"),
    max("longestRenderMs")
  FROM json_to_recordset($3::JSON) AS added (day TEXT, "tokenId" BIGINT, "accountId" TEXT, renders BIGINT, hits BIGINT,
    failures BIGINT, credits BIGINT, "renderMs" BIGINT, "longestRenderMs" BIGINT)
  WHERE "accountId" IN (SELECT account_id FROM existing_accounts)
  GROUP BY day, "tokenId", "accountId" ORDER BY day, "tokenId"
  ON CONFLICT (day, token_id) DO UPDATE SET renders = existing.renders + excluded.renders,
    hits = existing.hits + excluded.hits, failures = existing.failures + excluded.failures,
    credits = existing.credits + excluded.credits, render_ms = existing.render_ms + excluded.render_ms,
    longest_render_ms = greatest(existing.longest_render_ms, excluded.longest_render_ms)`;

const ACTIVITY = `SELECT at - at % $2::BIGINT AS at, count(*) FILTER (WHERE NOT is_failure) AS renders,
    count(*) FILTER (WHERE is_failure) AS failures
  FROM snap.history WHERE at >= $1 AND cache IS DISTINCT FROM 'hit' GROUP BY 1 ORDER BY 1`;

const FAILURES = `SELECT code, count(*) AS count FROM snap.history WHERE is_failure AND at >= $1
  GROUP BY code ORDER BY count DESC, code`;

export function createHistoryStore({ query, queryOnce }: Database): HistoryStore {
  return {
    // not retried after a lost connection, because the totals could be added twice
    async append({ entries, totals }) {
      const accounts = new Set([...entries, ...totals].map(({ accountId }) => accountId));
      await queryOnce(APPEND, [
        [...accounts].toSorted(),
        JSON.stringify(entries.map(toRow)),
        JSON.stringify(totals),
      ]);
    },
    ...createHistoryPages(query),
    ...createUsageReader(query),
    activity: ({ since, intervalMs }) => query<Activity>(ACTIVITY, [since, intervalMs]),
    failures: ({ since }) => query(FAILURES, [since]),
    async prune({ before, beforeDay, limit }) {
      const entries = await query(
        `DELETE FROM snap.history WHERE id IN (
           SELECT id FROM snap.history WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
         ) RETURNING 1`,
        [before, limit],
      );
      const totals = await query(
        `DELETE FROM snap.usage_totals WHERE (day, token_id) IN (
           SELECT day, token_id FROM snap.usage_totals WHERE day < $1 ORDER BY day LIMIT $2 FOR UPDATE SKIP LOCKED
         ) RETURNING 1`,
        [beforeDay, limit],
      );
      return entries.length + totals.length;
    },
    async deleteAccount({ accountId }) {
      if (!isStorable(accountId)) return 0;
      const deleted = await deleteInChunks(async () => {
        const rows = await query(
          `DELETE FROM snap.history WHERE id IN (
             SELECT id FROM snap.history WHERE account_id = $1 LIMIT ${ROWS_PER_STATEMENT}
           ) RETURNING 1`,
          [accountId],
        );
        return rows.length;
      });
      await deleteInChunks(async () => {
        const rows = await query(
          `DELETE FROM snap.usage_totals WHERE (day, token_id) IN (
             SELECT day, token_id FROM snap.usage_totals WHERE account_id = $1 LIMIT ${ROWS_PER_STATEMENT}
           ) RETURNING 1`,
          [accountId],
        );
        return rows.length;
      });
      return deleted;
    },
  };
}

function toRow({ parameters, notes, ...entry }: HistoryEntry): Readonly<Record<string, unknown>> {
  return {
    ...entry,
    parameters: parameters === null ? null : JSON.stringify(parameters),
    notes: JSON.stringify(notes),
  };
}
