import type {
  Balance,
  JournalEntry,
  Ledger,
  PeriodGrant,
  ReserveOutcome,
  ReserveRequest,
  Resolution,
} from "@snap/engine/ports";
import type { Database, Query } from "../database.ts";

/** How a reservation is to end, which it may have done otherwise before. */
export interface Ending {
  readonly reservationId: string;
  readonly now: number;
  readonly wanted: "settled" | "refunded";
}

const RESERVED_COLUMNS = `is_reserved AS "isReserved", (balance).granted, (balance).used, (balance).reserved`;

/** The ledger: each act is one statement (002-ledger.ts, 006-reversals.ts), and may be repeated when its answer was lost. */
export function createLedger({ query }: Database): Ledger {
  return {
    async balance({ now, ...look }) {
      const [row] = await query<Balance>(
        "SELECT granted, used, reserved FROM snap.read_balance($1, $2, $3, $4)",
        [...valuesOf(look), now],
      );
      // It answers the balance that it has made where there was none.
      return row as Balance;
    },
    async reserve(request) {
      const [row] = await query<ReservedRow>(
        `SELECT ${RESERVED_COLUMNS} FROM snap.reserve($1, $2, $3, $4, $5, $6)`,
        reservedValuesOf(request),
      );
      return toOutcome(row as ReservedRow);
    },
    settle: (request) => endReservation(query, { ...request, wanted: "settled" }),
    refund: (request) => endReservation(query, { ...request, wanted: "refunded" }),
    async reverse({ reservationId, now }) {
      const [row] = await query<{ ending: Resolution }>("SELECT snap.reverse_reservation($1, $2) AS ending", [
        reservationId,
        now,
      ]);
      return row?.ending ?? "unknown";
    },
    journal: ({ accountId, limit }) =>
      query<JournalEntry>(
        `SELECT account_id AS "accountId", period_started_at AS "periodStartedAt", kind, credits,
           reservation_id AS "reservationId", at
         FROM snap.journal WHERE account_id = $1 ORDER BY sequence DESC LIMIT $2`,
        [accountId, limit],
      ),
  };
}

interface ReservedRow extends Balance {
  readonly isReserved: boolean;
}

function toOutcome({ isReserved, ...balance }: ReservedRow): ReserveOutcome {
  return { reserved: isReserved, balance };
}

function reservedValuesOf({ reservationId, lapsesAt, now, ...look }: ReserveRequest): readonly unknown[] {
  return [...valuesOf(look), now, reservationId, lapsesAt];
}

/** Ends a reservation that is open, and answers how it ended, now or before. */
export async function endReservation(
  query: Query,
  { reservationId, wanted, now }: Ending,
): Promise<Resolution> {
  const [row] = await query<{ ending: Resolution }>("SELECT snap.end_reservation($1, $2, $3) AS ending", [
    reservationId,
    wanted,
    now,
  ]);
  return row?.ending ?? "unknown";
}

function valuesOf({ accountId, period, granted }: PeriodGrant): readonly [string, number, number] {
  return [accountId, period.startedAt, granted];
}
