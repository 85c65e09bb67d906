import type {
  Balance,
  JournalEntry,
  Ledger,
  PeriodGrant,
  ReservationRecord,
  ReserveOutcome,
  ReserveRequest,
  Resolution,
} from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { writing } from "../transaction.ts";
import type { LedgerStatements } from "./ledger-statements.ts";

type Look = PeriodGrant & { readonly now: number };

interface EndRequest {
  readonly reservationId: string;
  readonly now: number;
}

/** The journal's line of each ending, and how it moves the balance. */
const ENDINGS = {
  settled: { kind: "settle", used: 1, reserved: -1 },
  refunded: { kind: "refund", used: 0, reserved: -1 },
  lapsed: { kind: "lapse", used: 0, reserved: -1 },
  reversed: { kind: "reverse", used: -1, reserved: 0 },
} as const;

/**
 * The ledger: a balance for each account and period beside an append-only journal, both moved in
 * one transaction.
 */
export function createLedger(database: DatabaseSync, statements: LedgerStatements): Ledger {
  return {
    async balance(look) {
      return readBalance(statements, look) ?? writing(database, () => bringUpToDate(statements, look));
    },
    async reserve(request) {
      return writing(database, () => reserve(statements, request));
    },
    async settle(request) {
      return writing(database, () => endReservation(statements, { ...request, wanted: "settled" }));
    },
    async refund(request) {
      return writing(database, () => endReservation(statements, { ...request, wanted: "refunded" }));
    },
    async reverse(request) {
      return writing(database, () => reverse(statements, request));
    },
    async journal({ accountId, limit }) {
      return statements.journal.all({ accountId, limit }).map(toEntry);
    },
  };
}

/** Inside a transaction: takes a credit, if one is left. */
function reserve(
  statements: LedgerStatements,
  { reservationId: id, lapsesAt, ...look }: ReserveRequest,
): ReserveOutcome {
  const balance = readBalance(statements, look) ?? bringUpToDate(statements, look);
  const state = balance.granted - balance.used - balance.reserved > 0 ? "open" : "refused";
  const row: ReservationRecord = { id, ...nameOf(look), lapsesAt, state };
  if (statements.reserve.run({ ...row }).changes === 0) {
    const first = statements.findReservation.get({ id });
    return { reserved: first?.state !== "refused" && first?.accountId === look.accountId, balance };
  }
  if (state === "refused") return { reserved: false, balance };
  statements.move.run({ ...nameOf(look), used: 0, reserved: 1 });
  record(statements, { ...nameOf(look), kind: "reserve", credits: 1, reservationId: id, at: look.now });
  return { reserved: true, balance: { ...balance, reserved: balance.reserved + 1 } };
}

/** The balance, or `null` when something has to be written first: the period, a new grant, a lapse. */
function readBalance(statements: LedgerStatements, look: Look): Balance | null {
  const row = statements.findBalance.get({ ...nameOf(look), now: look.now });
  if (row === undefined || row.isOverdue === 1 || row.granted !== look.granted) return null;
  return { granted: row.granted, used: row.used, reserved: row.reserved };
}

/** Inside a transaction: lapses what is overdue, opens the period, follows the grant. */
function bringUpToDate(statements: LedgerStatements, look: Look): Balance {
  const { accountId, granted, now } = look;
  for (const row of statements.findOverdue.all({ accountId, now }))
    resolve(statements, row, { ending: "lapsed", now });
  const credits = granted - (statements.findGrant.get(nameOf(look))?.granted ?? 0);
  if (credits !== 0)
    record(statements, { ...nameOf(look), kind: "grant", credits, reservationId: null, at: now });
  const row = statements.grant.get({ ...nameOf(look), granted });
  return { granted, used: row?.used ?? 0, reserved: row?.reserved ?? 0 };
}

/** Inside a transaction: ends a reservation that is open, and answers how it ended, then or before. */
export function endReservation(
  statements: LedgerStatements,
  { reservationId: id, now, wanted }: EndRequest & { readonly wanted: "settled" | "refunded" },
): Resolution {
  const row = statements.findReservation.get({ id });
  // What was refused never became a reservation.
  if (row === undefined || row.state === "refused") return "unknown";
  if (row.state !== "open") return row.state;
  const ending = row.lapsesAt <= now ? "lapsed" : wanted;
  resolve(statements, row, { ending, now });
  return ending;
}

/** Inside a transaction: refunds an open reservation, reverses a settled one. */
function reverse(statements: LedgerStatements, { reservationId: id, now }: EndRequest): Resolution {
  const ending = endReservation(statements, { reservationId: id, now, wanted: "refunded" });
  const row = statements.findReservation.get({ id });
  if (ending !== "settled" || row === undefined) return ending;
  resolve(statements, row, { ending: "reversed", now });
  return "reversed";
}

function resolve(
  statements: LedgerStatements,
  { id, accountId, periodStartedAt }: ReservationRecord,
  { ending, now }: { readonly ending: keyof typeof ENDINGS; readonly now: number },
): void {
  const { kind, used, reserved } = ENDINGS[ending];
  statements.resolve.run({ id, state: ending });
  statements.move.run({ accountId, periodStartedAt, used, reserved });
  record(statements, { accountId, periodStartedAt, kind, credits: 1, reservationId: id, at: now });
}

function record(statements: LedgerStatements, entry: JournalEntry): void {
  statements.record.run({ ...entry });
}

function nameOf({ accountId, period }: PeriodGrant): { accountId: string; periodStartedAt: number } {
  return { accountId, periodStartedAt: period.startedAt };
}

/** Rows come without a prototype; what is handed out is an object like any other. */
function toEntry(row: JournalEntry): JournalEntry {
  return { ...row };
}
