/** One month of an account. Instants in epoch milliseconds, `startedAt` inclusive, `resetsAt` exclusive. */
export interface Period {
  readonly startedAt: number;
  readonly resetsAt: number;
}

/** The credits of one period. `granted - used - reserved` is what is left. */
export interface Balance {
  readonly granted: number;
  readonly used: number;
  readonly reserved: number;
}

/** The balance of an account's latest period as it stands, whatever the time is now. */
export interface StandingBalance extends Balance {
  readonly periodStartedAt: number;
  /** Instant at which the first of the account's open reservations lapses; `null` without one. */
  readonly nextLapseAt: number | null;
}

/** The period that a call is about, and what it grants if this is the first look at it. */
export interface PeriodGrant {
  readonly accountId: string;
  readonly period: Period;
  /** Credits of the period. A number other than the stored one changes the grant. */
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

/** How a reservation ended. `reversed`: settled, then uncharged again. `unknown`: there never was one of that id. */
export type Resolution = "settled" | "refunded" | "lapsed" | "reversed" | "unknown";

export type JournalKind = "grant" | "reserve" | "settle" | "refund" | "lapse" | "reverse";

/** One line of the append-only journal; `credits` is the amount moved (a grant may be negative). */
export interface JournalEntry {
  readonly accountId: string;
  readonly periodStartedAt: number;
  readonly kind: JournalKind;
  readonly credits: number;
  /** `null` for a grant. */
  readonly reservationId: string | null;
  readonly at: number;
}

/**
 * The two-phase credit ledger. A reservation takes one credit and resolves exactly once: settled,
 * refunded, or lapsed by itself. One that was settled can be reversed, once. Every method is atomic, also
 * between processes, and `granted = remaining + used + reserved` holds at every moment for each period. A
 * reservation always resolves, and is reversed, against the period in which it was made.
 */
export interface Ledger {
  /** The balance at `now`; opens the period, and lapses what is overdue, where needed. */
  balance(request: PeriodGrant & { readonly now: number }): Promise<Balance>;
  /** Takes one credit if one is left. Repeating a `reservationId` answers as the first time did, and takes nothing. */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /** Charges the credit. Answers how the reservation ended, which may have been otherwise before. */
  settle(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /** Gives the credit back. Answers how the reservation ended, which may have been otherwise before. */
  refund(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /**
   * Leaves no charge: refunds an open reservation, reverses a settled one. Returns how the reservation ended; a
   * repeat returns the same. A settlement that arrives later charges nothing.
   */
  reverse(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /** The newest `limit` lines of an account, newest first. For audits: a storage may have to look through all lines. */
  journal(request: { readonly accountId: string; readonly limit: number }): Promise<readonly JournalEntry[]>;
}
