import type {
  Balance,
  JournalEntry,
  Ledger,
  PeriodGrant,
  PruneRequest,
  ReservationRecord,
  ReserveOutcome,
  ReserveRequest,
  Resolution,
} from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { copyRow } from "../prepare.ts";
import { transact } from "../transaction.ts";
import type { Deletions } from "./deletions.ts";
import { prepareAudit } from "./ledger-audit.ts";
import { prepareLedgerDeletion } from "./ledger-deletion.ts";
import type { LedgerStatements } from "./ledger-statements.ts";

type BalanceRequest = PeriodGrant & { readonly now: number };

interface ReverseRequest {
  readonly reservationId: string;
  readonly now: number;
}

/** The requested end of a reservation, which may already have ended differently. */
interface EndRequest extends ReverseRequest {
  readonly target: "settled" | "refunded";
}

/** For each way in which a reservation ends: its journal entry, and its effect on the balance. */
const ENDINGS = {
  settled: { kind: "settle", used: 1, reserved: -1 },
  refunded: { kind: "refund", used: 0, reserved: -1 },
  lapsed: { kind: "lapse", used: 0, reserved: -1 },
  reversed: { kind: "reverse", used: -1, reserved: 0 },
} as const;

export interface LedgerDependencies {
  readonly statements: LedgerStatements;
  readonly deletions: Deletions;
}

/**
 * The ledger: a balance per account and period, and an append-only journal, both written in one transaction.
 */
export function createLedger(database: DatabaseSync, dependencies: LedgerDependencies): Ledger {
  const { statements } = dependencies;
  return {
    async balance(request) {
      const balance =
        readBalance(statements, request) ?? transact(database, () => updateBalance(dependencies, request));
      return balance ?? noCredits();
    },
    async reserve(request) {
      return transact(database, () => reserve(dependencies, request));
    },
    async settle(request) {
      return transact(database, () => endReservation(statements, { ...request, target: "settled" }));
    },
    async refund(request) {
      return transact(database, () => endReservation(statements, { ...request, target: "refunded" }));
    },
    async reverse(request) {
      return transact(database, () => reverse(statements, request));
    },
    prune: async (request) => transact(database, () => prune(statements, request)),
    deleteAccount: prepareLedgerDeletion(database),
    async journal({ accountId, limit }) {
      return statements.journal.all({ accountId, limit }).map(copyRow);
    },
    audit: prepareAudit(database),
  };
}

/** The balance for a new period of an account whose deletion has started. */
function noCredits(): Balance {
  return { granted: 0, used: 0, reserved: 0 };
}

/** Marks old open reservations as lapsed, overdue or not, and deletes old records. Requires a transaction. */
function prune(
  statements: LedgerStatements,
  { now, reservationsBefore, periodsBefore, limit }: PruneRequest,
): number {
  const openReservations = statements.findOpenBefore.all({ reservationsBefore, limit });
  for (const row of openReservations) resolve(statements, row, { ending: "lapsed", now });
  const removed = [statements.pruneReservations.run({ reservationsBefore, limit })];
  if (periodsBefore !== null)
    removed.push(
      statements.pruneBalances.run({ periodsBefore, limit }),
      statements.pruneJournal.run({ periodsBefore, limit }),
    );
  return removed.reduce((sum, { changes }) => sum + Number(changes), 0);
}

/** Reserves a credit if one is left. Requires a transaction. */
function reserve(
  dependencies: LedgerDependencies,
  { reservationId: id, lapsesAt, ...request }: ReserveRequest,
): ReserveOutcome {
  const { statements } = dependencies;
  const balance = readBalance(statements, request) ?? updateBalance(dependencies, request);
  if (balance === null) return { reserved: false, balance: noCredits() };
  const state = balance.granted - balance.used - balance.reserved > 0 ? "open" : "refused";
  const row: ReservationRecord = { id, ...keyOf(request), lapsesAt, state };
  if (statements.reserve.run({ ...row }).changes === 0) {
    const existing = statements.findReservation.get({ id });
    return { reserved: existing?.state !== "refused" && existing?.accountId === request.accountId, balance };
  }
  if (state === "refused") return { reserved: false, balance };
  statements.adjustBalance.run({ ...keyOf(request), used: 0, reserved: 1 });
  record(statements, { ...keyOf(request), kind: "reserve", credits: 1, reservationId: id, at: request.now });
  return { reserved: true, balance: { ...balance, reserved: balance.reserved + 1 } };
}

/** Returns the balance, or `null` if something must be written first: the period, a new grant or a lapse. */
function readBalance(statements: LedgerStatements, request: BalanceRequest): Balance | null {
  const row = statements.findBalance.get({ ...keyOf(request), now: request.now });
  if (row === undefined || row.isOverdue === 1 || row.granted !== request.granted) return null;
  return { granted: row.granted, used: row.used, reserved: row.reserved };
}

/**
 * Marks overdue reservations as lapsed, opens the period and updates its grant. Returns `null` for a new period of an
 * account whose deletion has started. Requires a transaction.
 */
function updateBalance(
  { statements, deletions }: LedgerDependencies,
  request: BalanceRequest,
): Balance | null {
  const { accountId, granted, now } = request;
  const current = statements.findGrant.get(keyOf(request));
  if (current === undefined && deletions.includes(accountId)) return null;
  for (const row of statements.findOverdue.all({ accountId, now }))
    resolve(statements, row, { ending: "lapsed", now });
  const credits = granted - (current?.granted ?? 0);
  if (credits !== 0)
    record(statements, { ...keyOf(request), kind: "grant", credits, reservationId: null, at: now });
  const row = statements.grant.get({ ...keyOf(request), granted });
  return { granted, used: row?.used ?? 0, reserved: row?.reserved ?? 0 };
}

/** Ends an open reservation, and returns how it ended, in this call or an earlier one. Requires a transaction. */
export function endReservation(statements: LedgerStatements, request: EndRequest): Resolution {
  const row = statements.findReservation.get({ id: request.reservationId });
  const ending = resolutionOf(row, request);
  if (row?.state === "open" && ending !== "unknown") resolve(statements, row, { ending, now: request.now });
  return ending;
}

/** Returns how a reservation ends, or how it has ended already; `unknown` if it does not exist or was rejected. */
export function resolutionOf(
  row: ReservationRecord | undefined,
  { now, target }: Pick<EndRequest, "now" | "target">,
): Resolution {
  if (row === undefined || row.state === "refused") return "unknown";
  if (row.state !== "open") return row.state;
  return row.lapsesAt <= now ? "lapsed" : target;
}

/** Refunds an open reservation, and reverses a settled one. Requires a transaction. */
function reverse(statements: LedgerStatements, { reservationId: id, now }: ReverseRequest): Resolution {
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
  statements.adjustBalance.run({ accountId, periodStartedAt, used, reserved });
  record(statements, { accountId, periodStartedAt, kind, credits: 1, reservationId: id, at: now });
}

function record(statements: LedgerStatements, entry: JournalEntry): void {
  statements.record.run({ ...entry });
}

function keyOf({ accountId, period }: PeriodGrant): { accountId: string; periodStartedAt: number } {
  return { accountId, periodStartedAt: period.startedAt };
}
