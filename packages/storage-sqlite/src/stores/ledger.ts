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
import { prepareAudit } from "./ledger-audit.ts";
import type { LedgerStatements } from "./ledger-statements.ts";

type BalanceRequest = PeriodGrant & { readonly now: number };

interface EndRequest {
  readonly reservationId: string;
  readonly now: number;
}

/** The journal entry of each ending, and its effect on the balance. */
const ENDINGS = {
  settled: { kind: "settle", used: 1, reserved: -1 },
  refunded: { kind: "refund", used: 0, reserved: -1 },
  lapsed: { kind: "lapse", used: 0, reserved: -1 },
  reversed: { kind: "reverse", used: -1, reserved: 0 },
} as const;

/**
 * The ledger: a balance per account and period, and an append-only journal, both written in one transaction.
 */
export function createLedger(database: DatabaseSync, statements: LedgerStatements): Ledger {
  return {
    async balance(request) {
      return readBalance(statements, request) ?? writing(database, () => updateBalance(statements, request));
    },
    async reserve(request) {
      return writing(database, () => reserve(statements, request));
    },
    async settle(request) {
      return writing(database, () => endReservation(statements, { ...request, target: "settled" }));
    },
    async refund(request) {
      return writing(database, () => endReservation(statements, { ...request, target: "refunded" }));
    },
    async reverse(request) {
      return writing(database, () => reverse(statements, request));
    },
    async journal({ accountId, limit }) {
      return statements.journal.all({ accountId, limit }).map(toEntry);
    },
    audit: prepareAudit(database),
  };
}

/** Reserves a credit if one is left. Requires a transaction. */
function reserve(
  statements: LedgerStatements,
  { reservationId: id, lapsesAt, ...request }: ReserveRequest,
): ReserveOutcome {
  const balance = readBalance(statements, request) ?? updateBalance(statements, request);
  const state = balance.granted - balance.used - balance.reserved > 0 ? "open" : "refused";
  const row: ReservationRecord = { id, ...keyOf(request), lapsesAt, state };
  if (statements.reserve.run({ ...row }).changes === 0) {
    const first = statements.findReservation.get({ id });
    return { reserved: first?.state !== "refused" && first?.accountId === request.accountId, balance };
  }
  if (state === "refused") return { reserved: false, balance };
  statements.move.run({ ...keyOf(request), used: 0, reserved: 1 });
  record(statements, { ...keyOf(request), kind: "reserve", credits: 1, reservationId: id, at: request.now });
  return { reserved: true, balance: { ...balance, reserved: balance.reserved + 1 } };
}

/** Returns the balance, or `null` if something must be written first: the period, a new grant or a lapse. */
function readBalance(statements: LedgerStatements, request: BalanceRequest): Balance | null {
  const row = statements.findBalance.get({ ...keyOf(request), now: request.now });
  if (row === undefined || row.isOverdue === 1 || row.granted !== request.granted) return null;
  return { granted: row.granted, used: row.used, reserved: row.reserved };
}

/** Lapses overdue reservations, opens the period and updates its grant. Requires a transaction. */
function updateBalance(statements: LedgerStatements, request: BalanceRequest): Balance {
  const { accountId, granted, now } = request;
  for (const row of statements.findOverdue.all({ accountId, now }))
    resolve(statements, row, { ending: "lapsed", now });
  const credits = granted - (statements.findGrant.get(keyOf(request))?.granted ?? 0);
  if (credits !== 0)
    record(statements, { ...keyOf(request), kind: "grant", credits, reservationId: null, at: now });
  const row = statements.grant.get({ ...keyOf(request), granted });
  return { granted, used: row?.used ?? 0, reserved: row?.reserved ?? 0 };
}

/** Ends an open reservation, and returns how it ended, now or before. Requires a transaction. */
export function endReservation(
  statements: LedgerStatements,
  { reservationId: id, now, target }: EndRequest & { readonly target: "settled" | "refunded" },
): Resolution {
  const row = statements.findReservation.get({ id });
  // a refused request never became a reservation
  if (row === undefined || row.state === "refused") return "unknown";
  if (row.state !== "open") return row.state;
  const ending = row.lapsesAt <= now ? "lapsed" : target;
  resolve(statements, row, { ending, now });
  return ending;
}

/** Refunds an open reservation, reverses a settled one. Requires a transaction. */
function reverse(statements: LedgerStatements, { reservationId: id, now }: EndRequest): Resolution {
  const ending = endReservation(statements, { reservationId: id, now, target: "refunded" });
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

function keyOf({ accountId, period }: PeriodGrant): { accountId: string; periodStartedAt: number } {
  return { accountId, periodStartedAt: period.startedAt };
}

/** Copies the row, which has no prototype, into a plain object. */
function toEntry(row: JournalEntry): JournalEntry {
  return { ...row };
}
