/** The next item for each waiting account, longest due first: `$1` now, `$2` limit, `$3` accounts to exclude. */
export const DUE_ITEMS = `${waitingAccounts("batch_items")}
  SELECT waiting.account_id AS "accountId", batches.id AS "batchId", item.id AS "itemId"
  FROM waiting CROSS JOIN LATERAL (
      SELECT batch, id, claimable_at FROM snap.batch_items
      WHERE account_id = waiting.account_id AND claimable_at <= $1
      ORDER BY claimable_at, batch, position LIMIT 1
    ) AS item JOIN snap.batches ON sequence = item.batch
  WHERE waiting.account_id <> ALL ($3::TEXT[])
  ORDER BY item.claimable_at, item.batch LIMIT $2`;

/** Like `DUE_ITEMS`, for deliveries. */
export const DUE_DELIVERIES = `${waitingAccounts("deliveries")}
  SELECT waiting.account_id AS "accountId", batches.id AS "batchId"
  FROM waiting CROSS JOIN LATERAL (
      SELECT batch, claimable_at FROM snap.deliveries
      WHERE account_id = waiting.account_id AND claimable_at <= $1
      ORDER BY claimable_at, batch LIMIT 1
    ) AS delivery JOIN snap.batches ON sequence = delivery.batch
  WHERE waiting.account_id <> ALL ($3::TEXT[])
  ORDER BY delivery.claimable_at, delivery.batch LIMIT $2`;

export const STATS = `SELECT count(*) FILTER (WHERE status = 'queued') AS "queuedItems",
    count(*) FILTER (WHERE status = 'rendering') AS "renderingItems",
    (SELECT min(created_at) FROM snap.batches WHERE finished_at IS NULL) AS "oldestCreatedAt",
    (SELECT count(*) FROM snap.deliveries WHERE claimable_at IS NOT NULL) AS "openDeliveries"
  FROM snap.batch_items WHERE claimable_at IS NOT NULL`;

/**
 * Steps through the index from one waiting account to the next, so one account's long queue costs nothing (a loose
 * index scan, which PostgreSQL does not do itself).
 */
function waitingAccounts(table: "batch_items" | "deliveries"): string {
  return `WITH RECURSIVE waiting (account_id) AS (
      (SELECT account_id FROM snap.${table} WHERE claimable_at IS NOT NULL ORDER BY account_id LIMIT 1)
      UNION ALL
      SELECT (SELECT account_id FROM snap.${table}
              WHERE claimable_at IS NOT NULL AND account_id > waiting.account_id ORDER BY account_id LIMIT 1)
      FROM waiting WHERE account_id IS NOT NULL
    )`;
}
