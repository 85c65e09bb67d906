import type { TransferFigures } from "@snap/engine/ports";
import type { Query } from "../database.ts";

const FIGURES = `SELECT
    (SELECT count(*) FROM snap.accounts) AS accounts,
    (SELECT count(*) FROM snap.tokens) AS tokens,
    (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM snap.tokens_id_seq) AS "lastTokenId",
    balance.*, reservation.*, journal.*,
    (SELECT count(*) FROM snap.batches) AS batches,
    item.*, delivery.*
  FROM
    (SELECT count(*) AS balances, ${sumOf("granted")} AS granted, ${sumOf("used")} AS used,
      ${sumOf("reserved")} AS reserved FROM snap.balances) AS balance,
    (SELECT count(*) AS reservations, count(*) FILTER (WHERE state = 'open') AS "openReservations"
     FROM snap.reservations) AS reservation,
    (SELECT count(*) AS "journalLines", ${creditsOf("grant")} AS "journalGranted",
      ${creditsOf("reserve")} AS "journalReserved", ${creditsOf("settle")} AS "journalSettled",
      ${creditsOf("refund")} AS "journalRefunded", ${creditsOf("lapse")} AS "journalLapsed"
     FROM snap.journal) AS journal,
    (SELECT count(*) AS "batchItems", count(*) FILTER (WHERE claimable_at IS NOT NULL) AS "unfinishedItems"
     FROM snap.batch_items) AS item,
    (SELECT count(*) AS deliveries, count(*) FILTER (WHERE claimable_at IS NOT NULL) AS "openDeliveries"
     FROM snap.deliveries) AS delivery`;

export async function readFigures(query: Query): Promise<TransferFigures> {
  // An aggregate always answers its row.
  const [figures] = (await query<TransferFigures>(FIGURES)) as [TransferFigures];
  return figures;
}

function creditsOf(kind: string): string {
  return sumOf("credits", ` FILTER (WHERE kind = '${kind}')`);
}

/** Sums are wider than what they are of, unless told otherwise. */
function sumOf(column: string, filter = ""): string {
  return `coalesce(sum(${column})${filter}, 0)::BIGINT`;
}
