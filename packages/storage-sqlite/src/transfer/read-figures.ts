import type { TransferFigures } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";

const FIGURES = `SELECT
  (SELECT count(*) FROM accounts) AS accounts,
  (SELECT count(*) FROM tokens) AS tokens,
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tokens'), 0) AS lastTokenId,
  balance.*, reservation.*, journal.*,
  (SELECT count(*) FROM batches) AS batches,
  item.*, delivery.*
FROM
  (SELECT count(*) AS balances, coalesce(sum(granted), 0) AS granted, coalesce(sum(used), 0) AS used,
    coalesce(sum(reserved), 0) AS reserved FROM balances) AS balance,
  (SELECT count(*) AS reservations, count(*) FILTER (WHERE state = 'open') AS openReservations
   FROM reservations) AS reservation,
  (SELECT count(*) AS journalLines, ${sumOf("grant")} AS journalGranted, ${sumOf("reserve")} AS journalReserved,
    ${sumOf("settle")} AS journalSettled, ${sumOf("refund")} AS journalRefunded,
    ${sumOf("lapse")} AS journalLapsed FROM journal) AS journal,
  (SELECT count(*) AS batchItems, count(*) FILTER (WHERE claimable_at IS NOT NULL) AS unfinishedItems
   FROM batch_items) AS item,
  (SELECT count(*) AS deliveries, count(*) FILTER (WHERE claimable_at IS NOT NULL) AS openDeliveries
   FROM deliveries) AS delivery`;

export function readFigures(database: DatabaseSync): TransferFigures {
  // An aggregate always answers its row.
  const figures = prepare<TransferFigures>(database, FIGURES).get() as TransferFigures;
  return { ...figures };
}

function sumOf(kind: string): string {
  return `coalesce(sum(credits) FILTER (WHERE kind = '${kind}'), 0)`;
}
