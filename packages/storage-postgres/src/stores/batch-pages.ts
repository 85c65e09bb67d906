import type { BatchSummary, DeliveryState } from "@snap/engine/ports";

/** A batch in a list. */
export interface SummaryRow extends Omit<BatchSummary, "items" | "delivery"> {
  /** JSON, like `delivery`. */
  readonly items: string;
  readonly delivery: string | null;
  /** Number of batches from the start of the page to the end of the list. */
  readonly matched: number;
}

/** The state of a batch's delivery. */
const DELIVERY = "(SELECT state FROM snap.deliveries WHERE batch = sequence)";

/** A batch's item counts by status, as a JSON object. */
const ITEM_COUNTS = `(SELECT json_build_object(${["queued", "rendering", "done", "failed"]
  .map((status) => `'${status}', count(*) FILTER (WHERE status = '${status}')`)
  .join(", ")})::TEXT FROM snap.batch_items WHERE batch = sequence)`;

/** `$1` last id of the previous page, `$2` account, `$3` whether it is finished, `$4` delivery status, `$5` limit. */
export const BATCH_PAGES = {
  all: pageOf("$2::TEXT IS NULL"),
  byAccount: pageOf("account_id = $2"),
};

/**
 * Returns a statement for a page. It selects a row even with a limit of 0, because each row contains `matched`. Lists
 * have no rate limit, so the count must be cheap: it reads the deliveries only to filter by them.
 *
 * @param condition - Selects the account, if any: a condition for both cases could not use an index.
 */
function pageOf(condition: string): string {
  const matching = `FROM snap.batches
    WHERE ($1::TEXT IS NULL OR sequence < (SELECT sequence FROM snap.batches WHERE id = $1))
      AND ${condition}
      AND ($3::BOOLEAN IS NULL OR (finished_at IS NOT NULL) = $3)
      AND ($4::TEXT IS NULL OR ${DELIVERY}::json ->> 'status' = $4)`;
  return `SELECT id, account_id AS "accountId", token_id AS "tokenId", webhook_url AS "webhookUrl",
      created_at AS "createdAt", finished_at AS "finishedAt", prunes_at AS "prunesAt",
      ${DELIVERY} AS delivery, ${ITEM_COUNTS} AS items, (SELECT count(*) ${matching}) AS matched
    ${matching} ORDER BY sequence DESC LIMIT greatest($5, 1)`;
}

export function toSummary(row: SummaryRow): BatchSummary {
  const { items, delivery, matched: _, ...batch } = row;
  return {
    ...batch,
    items: JSON.parse(items) as BatchSummary["items"],
    delivery: delivery === null ? null : (JSON.parse(delivery) as DeliveryState),
  };
}
