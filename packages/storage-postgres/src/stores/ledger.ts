import type { Balance, JournalEntry, Ledger, PeriodGrant, Resolution } from "@snap/engine/ports";
import { isStorable, type Database, type Query } from "../database.ts";
import { createAudit } from "./ledger-audit.ts";
import { deleteLedger, pruneLedger } from "./ledger-pruning.ts";

/** The balance is NULL for a new period of an account that is being deleted. */
const RESERVED_COLUMNS = `is_reserved AS "isReserved", coalesce((balance).granted, 0) AS granted,
  coalesce((balance).used, 0) AS used, coalesce((balance).reserved, 0) AS reserved`;

/**
 * The ledger. Each operation is one idempotent statement (see the migrations), except `prune` and
 * `deleteAccount`, which are several.
 */
export function createLedger({ query }: Database): Ledger {
  return {
    prune: (request) => pruneLedger(query, request),
    deleteAccount: ({ accountId }) => deleteLedger(query, accountId),
    async balance({ now, ...grant }) {
      const [row] = await query<Balance>(
        `SELECT coalesce(granted, 0) AS granted, coalesce(used, 0) AS used, coalesce(reserved, 0) AS reserved
         FROM snap.read_balance($1, $2, $3, $4)`,
        [...valuesOf(grant), now],
      );
      // the function always returns a row
      return row as Balance;
    },
    async reserve({ reservationId, lapsesAt, now, ...grant }) {
      const [row] = await query<ReservedRow>(
        `SELECT ${RESERVED_COLUMNS} FROM snap.reserve($1, $2, $3, $4, $5, $6)`,
        [...valuesOf(grant), now, reservationId, lapsesAt],
      );
      const { isReserved: reserved, ...balance } = row as ReservedRow;
      return { reserved, balance };
    },
    settle: (request) => endReservation(query, { ...request, target: "settled" }),
    refund: (request) => endReservation(query, { ...request, target: "refunded" }),
    async reverse({ reservationId, now }) {
      if (!isStorable(reservationId)) return "unknown";
      const [row] = await query<{ ending: Resolution }>("SELECT snap.reverse_reservation($1, $2) AS ending", [
        reservationId,
        now,
      ]);
      return row?.ending ?? "unknown";
    },
    async journal({ accountId, limit }) {
      if (!isStorable(accountId)) return [];
      return query<JournalEntry>(
        `SELECT account_id AS "accountId", period_started_at AS "periodStartedAt", kind, credits,
           reservation_id AS "reservationId", at
         FROM snap.journal WHERE account_id = $1 ORDER BY sequence DESC LIMIT $2`,
        [accountId, limit],
      );
    },
    audit: createAudit(query),
  };
}

interface ReservedRow extends Balance {
  readonly isReserved: boolean;
}

/** Ends an open reservation, and returns how it ended, now or before. */
export async function endReservation(
  query: Query,
  {
    reservationId,
    target,
    now,
  }: { readonly reservationId: string; readonly target: "settled" | "refunded"; readonly now: number },
): Promise<Resolution> {
  if (!isStorable(reservationId)) return "unknown";
  const [row] = await query<{ ending: Resolution }>("SELECT snap.end_reservation($1, $2, $3) AS ending", [
    reservationId,
    target,
    now,
  ]);
  return row?.ending ?? "unknown";
}

function valuesOf({ accountId, period, granted }: PeriodGrant): readonly [string, number, number] {
  return [accountId, period.startedAt, granted];
}
