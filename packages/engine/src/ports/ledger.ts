/** One month of an account. Instants in epoch milliseconds, `startedAt` inclusive, `resetsAt` exclusive. */
export interface Period {
  readonly startedAt: number;
  readonly resetsAt: number;
}

/** The credits of one period; `granted - used - reserved` remain. */
export interface Balance {
  readonly granted: number;
  readonly used: number;
  readonly reserved: number;
}

/** The stored balance of an account's latest period, which may be outdated by now. */
export interface StandingBalance extends Balance {
  readonly periodStartedAt: number;
  /** Instant at which the first of the account's open reservations lapses; `null` without one. */
  readonly nextLapseAt: number | null;
}

/** The period of a call, and the credits that it grants. */
export interface PeriodGrant {
  readonly accountId: string;
  readonly period: Period;
  /** Credits of the period. A number different from the stored one changes the grant. */
  readonly granted: number;
}

export interface ReserveRequest extends PeriodGrant {
  readonly reservationId: string;
  readonly now: number;
  /** Instant from which an unresolved reservation counts as refunded. */
  readonly lapsesAt: number;
}

export interface ReserveOutcome {
  readonly reserved: boolean;
  readonly balance: Balance;
}

/** What `Ledger.prune` deletes. */
export interface PruneRequest {
  readonly now: number;
  readonly reservationsBefore: string;
  readonly periodsBefore: number | null;
  /** Maximum for each kind of record. */
  readonly limit: number;
}

/** How a reservation ended. `reversed`: settled, then the charge was reversed. `unknown`: the id does not exist. */
export type Resolution = "settled" | "refunded" | "lapsed" | "reversed" | "unknown";

export type JournalKind = "grant" | "reserve" | "settle" | "refund" | "lapse" | "reverse";

/** An entry of the journal, which only grows until whole periods are pruned; `credits` is the amount (a grant may be negative). */
export interface JournalEntry {
  readonly accountId: string;
  readonly periodStartedAt: number;
  readonly kind: JournalKind;
  readonly credits: number;
  /** `null` for a grant. */
  readonly reservationId: string | null;
  readonly at: number;
}

/** The figures of one period of an account, all read at one instant, for a comparison. */
export interface PeriodAudit {
  readonly accountId: string;
  readonly periodStartedAt: number;
  /** As stored; `null` if there is none. */
  readonly balance: Balance | null;
  /** The sums of the journal; `null` without an entry. */
  readonly journal: Balance | null;
  /** Whether the first entry is a grant; otherwise the beginning of the journal is missing. */
  readonly beginsWithGrant: boolean;
  /** Number of reservations that have not ended. */
  readonly openReservations: number;
}

/** The periods of a portion of the accounts. */
export interface AuditPortion {
  readonly periods: readonly PeriodAudit[];
  /** `after` of the next portion; `null` after the last one. */
  readonly next: string | null;
}

/**
 * The two-phase credit ledger. A reservation takes one credit and resolves exactly once: it is settled, refunded, or
 * lapses. A settled one can be reversed, once. Every method is atomic, even across processes, and for each period
 * `granted = remaining + used + reserved` always holds. A reservation resolves, and is reversed, in the period in which
 * it was made.
 */
export interface Ledger {
  /** Returns the balance at `now`: opens a new period if one has begun, and marks overdue reservations as lapsed. */
  balance(request: PeriodGrant & { readonly now: number }): Promise<Balance>;
  /** Reserves one credit if one remains. Repeating a `reservationId` returns the first result and reserves nothing. */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /** Charges the credit. Returns how the reservation ended: one that is already resolved does not change. */
  settle(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /** Refunds the credit. Returns how the reservation ended: one that is already resolved does not change. */
  refund(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /**
   * Removes the charge: refunds an open reservation, reverses a settled one. Returns how the reservation ended; a repeat
   * returns the same. A settlement that arrives later charges nothing.
   */
  reverse(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /**
   * Deletes what is outdated, in chunks: repeat it until it returns 0.
   *
   * - Reservations whose id sorts before `reservationsBefore`, by its bytes; those that are still open lapse first.
   * - Periods that started before `periodsBefore` (`null`: none), with their balance and, after it, their journal entries.
   *   A period with an open reservation stays. The entries are deleted in the order of the journal, so those of a period may
   *   remain until all older ones can go.
   *
   * @returns how many reservations, balances and entries it deleted or lapsed.
   */
  prune(request: PruneRequest): Promise<number>;
  /**
   * Deletes the reservations, balances and journal entries of an account whose deletion has started, in chunks. A
   * reservation of a render in flight is then `unknown`, and the account gets no new ones.
   *
   * @returns how many journal entries it deleted.
   */
  deleteAccount(request: { readonly accountId: string }): Promise<number>;
  /** Returns the newest `limit` entries of an account, newest first. For audits: it may scan the whole journal. */
  journal(request: { readonly accountId: string; readonly limit: number }): Promise<readonly JournalEntry[]>;
  /**
   * Returns every period of the next `limit` accounts after the id `after`, in the order of their ids, or only those of
   * `accountId`. For audits: it may scan the whole journal.
   */
  audit(request: {
    readonly after: string | null;
    readonly limit: number;
    readonly accountId?: string | undefined;
  }): Promise<AuditPortion>;
}
