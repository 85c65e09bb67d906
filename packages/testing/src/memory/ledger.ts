import type {
  Balance,
  JournalEntry,
  JournalKind,
  Ledger,
  PeriodGrant,
  Resolution,
  StandingBalance,
} from "@snap/engine/ports";
import { audit, computeBalance } from "./ledger-audit.ts";

export interface Reservation {
  readonly id: string;
  readonly accountId: string;
  readonly periodStartedAt: number;
  readonly lapsesAt: number;
  state: "open" | "refused" | Exclude<Resolution, "unknown">;
}

const JOURNAL_KINDS = {
  settled: "settle",
  refunded: "refund",
  lapsed: "lapse",
  reversed: "reverse",
} as const;

/** How a reservation will end, and the function that ends it. */
export interface Ending {
  readonly resolution: Resolution;
  readonly commit: () => void;
}

/** The ledger, with the methods that the other memory stores need. */
export interface MemoryLedger extends Ledger {
  prepareSettle(request: EndRequest): Ending;
  /** For `TokenStore.find`. */
  standingBalance(accountId: string): StandingBalance | null;
}

interface EndRequest {
  readonly reservationId: string;
  readonly now: number;
}

/**
 * The credit ledger in memory: the reference model. It stores no balances, but computes each from the
 * journal.
 */
export function createLedger(deletions: ReadonlyMap<string, number> = new Map()): MemoryLedger {
  const journal: JournalEntry[] = [];
  const reservations = new Map<string, Reservation>();

  const balanceOf = (accountId: string, periodStartedAt: number): Balance =>
    computeBalance(journal.filter((line) => belongsTo(line, accountId, periodStartedAt)));

  const write = (reservation: Reservation, kind: JournalKind, at: number): void => {
    const { id: reservationId, accountId, periodStartedAt } = reservation;
    journal.push({ accountId, periodStartedAt, kind, credits: 1, reservationId, at });
  };

  const resolve = (reservation: Reservation, state: keyof typeof JOURNAL_KINDS, now: number): void => {
    reservation.state = state;
    write(reservation, JOURNAL_KINDS[state], now);
  };

  /** Returns whether the request would open a period of an account whose deletion has started. */
  const isRejected = ({ accountId, period }: PeriodGrant): boolean =>
    deletions.has(accountId) && !journal.some((line) => belongsTo(line, accountId, period.startedAt));

  const updateBalance = ({ accountId, period, granted, now }: PeriodGrant & { now: number }): Balance => {
    for (const reservation of reservations.values())
      if (reservation.accountId === accountId && reservation.state === "open" && reservation.lapsesAt <= now)
        resolve(reservation, "lapsed", now);
    const periodStartedAt = period.startedAt;
    const credits = granted - balanceOf(accountId, periodStartedAt).granted;
    if (credits !== 0)
      journal.push({ accountId, periodStartedAt, kind: "grant", credits, reservationId: null, at: now });
    return balanceOf(accountId, periodStartedAt);
  };

  const prepare = ({ reservationId, now }: EndRequest, target: "settled" | "refunded"): Ending => {
    const reservation = reservations.get(reservationId);
    // a rejected request never became a reservation
    if (reservation === undefined || reservation.state === "refused")
      return { resolution: "unknown", commit: () => {} };
    if (reservation.state !== "open") return { resolution: reservation.state, commit: () => {} };
    const resolution = reservation.lapsesAt <= now ? "lapsed" : target;
    return { resolution, commit: () => resolve(reservation, resolution, now) };
  };

  const end = (request: EndRequest, target: "settled" | "refunded"): Resolution => {
    const { resolution, commit } = prepare(request, target);
    commit();
    return resolution;
  };

  const reverse = (request: EndRequest): Resolution => {
    const resolution = end(request, "refunded");
    const reservation = reservations.get(request.reservationId);
    if (resolution !== "settled" || reservation === undefined) return resolution;
    resolve(reservation, "reversed", request.now);
    return "reversed";
  };

  return {
    async balance(request) {
      return isRejected(request) ? NO_CREDITS : updateBalance(request);
    },
    async reserve(request) {
      if (isRejected(request)) return { reserved: false, balance: NO_CREDITS };
      const { accountId, period, reservationId: id, lapsesAt, now } = request;
      const { granted, used, reserved } = updateBalance(request);
      const existing = reservations.get(id);
      if (existing !== undefined) {
        const isOwn = existing.state !== "refused" && existing.accountId === accountId;
        return { reserved: isOwn, balance: { granted, used, reserved } };
      }
      const state = granted - used - reserved > 0 ? "open" : "refused";
      const reservation: Reservation = { id, accountId, periodStartedAt: period.startedAt, lapsesAt, state };
      reservations.set(id, reservation);
      if (state === "open") write(reservation, "reserve", now);
      return { reserved: state === "open", balance: balanceOf(accountId, period.startedAt) };
    },
    settle: async (request) => end(request, "settled"),
    refund: async (request) => end(request, "refunded"),
    reverse: async (request) => reverse(request),
    ...createRemover({ journal, reservations, resolve }),
    standingBalance(accountId) {
      const periodStartedAt = latestPeriod(journal, accountId);
      if (periodStartedAt === null) return null;
      const balance = balanceOf(accountId, periodStartedAt);
      return { ...balance, periodStartedAt, nextLapseAt: firstLapse(reservations, accountId) };
    },
    prepareSettle: (request) => prepare(request, "settled"),
    journal: async ({ accountId, limit }) =>
      structuredClone(newestEntries(journal, accountId).slice(0, limit)),
    audit: async (request) => audit(journal, reservations, request),
  };
}

function newestEntries(journal: readonly JournalEntry[], accountId: string): readonly JournalEntry[] {
  return journal.filter((entry) => entry.accountId === accountId).toReversed();
}

function belongsTo(line: JournalEntry, accountId: string, periodStartedAt: number): boolean {
  return line.accountId === accountId && line.periodStartedAt === periodStartedAt;
}

/** Prunes the ledger, and deletes an account's part of it. */
function createRemover({
  journal,
  reservations,
  resolve,
}: {
  readonly journal: JournalEntry[];
  readonly reservations: Map<string, Reservation>;
  readonly resolve: (reservation: Reservation, state: "lapsed", now: number) => void;
}): Pick<Ledger, "prune" | "deleteAccount"> {
  /** Returns how many entries it removed. */
  const removeEntries = (isRemoved: (entry: JournalEntry) => boolean): number => {
    const remaining = journal.filter((entry) => !isRemoved(entry));
    return journal.splice(0, journal.length, ...remaining).length - remaining.length;
  };
  /** Removes whole periods, even if they have more entries than `limit`: a balance is the sum of its entries. */
  const removePeriods = (isRemoved: (entry: JournalEntry) => boolean, limit: number): number => {
    const periods = Map.groupBy(journal.filter(isRemoved), ({ accountId, periodStartedAt }) =>
      JSON.stringify([accountId, periodStartedAt]),
    );
    const entries = new Set([...periods.values()].slice(0, limit).flat());
    return removeEntries((entry) => entries.has(entry));
  };
  return {
    async prune({ now, reservationsBefore, periodsBefore, limit }) {
      const all = [...reservations.values()];
      const oldReservations = all.filter(({ id }) => isBefore(id, reservationsBefore)).slice(0, limit);
      for (const reservation of oldReservations) {
        if (reservation.state === "open") resolve(reservation, "lapsed", now);
        reservations.delete(reservation.id);
      }
      const open = all.filter(({ state }) => state === "open");
      const pruned = removePeriods(
        (entry) =>
          entry.periodStartedAt < (periodsBefore ?? -Infinity) &&
          !open.some((reservation) => belongsTo(entry, reservation.accountId, reservation.periodStartedAt)),
        limit,
      );
      return oldReservations.length + pruned;
    },
    async deleteAccount({ accountId }) {
      for (const reservation of reservations.values())
        if (reservation.accountId === accountId) reservations.delete(reservation.id);
      return removeEntries((entry) => entry.accountId === accountId);
    },
  };
}

const NO_CREDITS: Balance = { granted: 0, used: 0, reserved: 0 };

function isBefore(id: string, other: string): boolean {
  return Buffer.compare(Buffer.from(id), Buffer.from(other)) < 0;
}

/** Returns the start of the account's latest period with a journal entry; `null` if it has none. */
function latestPeriod(journal: readonly JournalEntry[], accountId: string): number | null {
  const lines = newestEntries(journal, accountId);
  return lines.length === 0 ? null : Math.max(...lines.map((entry) => entry.periodStartedAt));
}

function firstLapse(reservations: ReadonlyMap<string, Reservation>, accountId: string): number | null {
  const open = [...reservations.values()].filter(
    (reservation) => reservation.accountId === accountId && reservation.state === "open",
  );
  return open.length === 0 ? null : Math.min(...open.map(({ lapsesAt }) => lapsesAt));
}
