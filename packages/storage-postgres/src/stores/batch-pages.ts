import type { BatchSummary, DeliveryState } from "@snap/engine/ports";

/** A batch in a list. */
export interface SummaryRow extends Omit<BatchSummary, "items" | "delivery"> {
  /** JSON, like `delivery`. */
  readonly items: string;
  readonly delivery: string | null;
  /** Number of batches from the start of the page to the end of the list. */
  readonly matched: number;
}

/** A batch's item counts by status, as a JSON object. */
const ITEM_COUNTS = `(SELECT json_build_object(${["queued", "rendering", "done", "failed"]
  .map((status) => `'${status}', count(*) FILTER (WHERE status = '${status}')`)
  .join(", ")})::TEXT FROM snap.batch_items WHERE batch = sequence)`;

/**
 * `$1` last id of the previous page, `$2` account, `$3` whether it is finished, `$4` delivery status, `$5` limit. Returns a
 * row even with a limit of 0, because each contains `matched`.
 */
export const BATCH_PAGE = `SELECT batches.id, batches.account_id AS "accountId", token_id AS "tokenId",
    webhook_url AS "webhookUrl", created_at AS "createdAt", finished_at AS "finishedAt", prunes_at AS "prunesAt",
    deliveries.state AS delivery, ${ITEM_COUNTS} AS items, count(*) OVER () AS matched
  FROM snap.batches LEFT JOIN snap.deliveries ON deliveries.batch = sequence
  WHERE ($1::TEXT IS NULL OR sequence < (SELECT sequence FROM snap.batches WHERE id = $1))
    AND ($2::TEXT IS NULL OR batches.account_id = $2)
    AND ($3::BOOLEAN IS NULL OR (finished_at IS NOT NULL) = $3)
    AND ($4::TEXT IS NULL OR deliveries.state::json ->> 'status' = $4)
  ORDER BY sequence DESC LIMIT greatest($5, 1)`;

export function toSummary(row: SummaryRow): BatchSummary {
  const { items, delivery, matched: _, ...batch } = row;
  return {
    ...batch,
    items: JSON.parse(items) as BatchSummary["items"],
    delivery: delivery === null ? null : (JSON.parse(delivery) as DeliveryState),
  };
}
