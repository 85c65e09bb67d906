/** One of an account's monthly periods. Instants in epoch milliseconds, `startedAt` inclusive, `resetsAt` exclusive. */
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

/** The stored balance of an account's latest period, which may be out of date. */
export interface StandingBalance extends Balance {
  readonly periodStartedAt: number;
  /** When the account's first open reservation lapses; `null` if there is none. */
  readonly nextLapseAt: number | null;
}

/** The period in which a call applies, and the credits that the account gets for that period. */
export interface PeriodGrant {
  readonly accountId: string;
  readonly period: Period;
  /** The period's credits. A number that differs from the stored one changes the grant. */
  readonly granted: number;
}

export interface ReserveRequest extends PeriodGrant {
  readonly reservationId: string;
  readonly now: number;
  /** Instant from which the reservation lapses if it is still open. */
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

/**
 * How a reservation ended. `reversed`: settled, then the charge was reversed. `unknown`: the id does not exist, or its
 * reservation was rejected.
 */
export type Resolution = "settled" | "refunded" | "lapsed" | "reversed" | "unknown";

export type JournalKind = "grant" | "reserve" | "settle" | "refund" | "lapse" | "reverse";

/**
 * A journal entry. Entries never change; only `prune` and `deleteAccount` delete them. `credits` is
 * the amount; a grant's can be negative.
 */
export interface JournalEntry {
  readonly accountId: string;
  readonly periodStartedAt: number;
  readonly kind: JournalKind;
  readonly credits: number;
  /** `null` for a grant. */
  readonly reservationId: string | null;
  readonly at: number;
}

/** The figures for one of an account's periods, all read at one instant so they can be compared. */
export interface PeriodAudit {
  readonly accountId: string;
  readonly periodStartedAt: number;
  /** As stored; `null` if there is none. */
  readonly balance: Balance | null;
  /** The sums of the journal; `null` if it has no entries. */
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
 * The two-phase credit ledger. A reservation takes one credit and resolves exactly once: it is settled,
 * refunded, or lapses. A settled one can be reversed once. Every method except `prune` and `deleteAccount`,
 * which work in chunks, is atomic, even across processes, and for each period
 * `granted = remaining + used + reserved` always holds, in the balance and in the sums of the journal. A
 * reservation is resolved and reversed in the period in which it was made, even after that has ended. Every
 * change is one journal entry at its `now`: `reserve`, `settle`, `refund`, `lapse` and `reverse` with 1
 * credit, a `grant` with the difference.
 */
export interface Ledger {
  /**
   * Returns the balance at `now`: opens the period if it is new, grants `granted`, and marks the account's overdue
   * reservations as lapsed. A new period starts with no credits used, reserved or carried over. A grant that does not
   * change writes no entry, nor does one of 0 credits in a new period. A grant can fall below `used + reserved`; then
   * nothing is reserved until it suffices again.
   */
  balance(request: PeriodGrant & { readonly now: number }): Promise<Balance>;
  /**
   * Reserves one credit if one remains, after doing what `balance` does. Repeating a `reservationId` reserves nothing,
   * and returns the first result with the requested period's current balance: `true` even if the reservation has been
   * resolved, and `false` even if credits have become available. Another account's id returns `false`.
   */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /**
   * Charges the credit, unless the reservation is already resolved. Returns how it ended: `lapsed` from the millisecond
   * `lapsesAt`, and from then on, even if the clock is set back; `unknown` for a reservation that was rejected.
   */
  settle(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /** Refunds the credit, unless the reservation is already resolved. Returns how it ended, as `settle` does. */
  refund(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /**
   * Removes the charge: refunds an open reservation, reverses a settled one. Returns how the reservation ended; a
   * repeated call returns the same, and changes nothing. A later settlement charges nothing. The credit can be reserved
   * again.
   */
  reverse(request: { readonly reservationId: string; readonly now: number }): Promise<Resolution>;
  /**
   * Deletes expired records in chunks; call it until it returns 0.
   *
   * - Reservations whose id sorts before `reservationsBefore` by its UTF-8 bytes, rejected ones included; those
   *   still open lapse first. Their ids are then `unknown`.
   * - Periods that started before `periodsBefore` (`null`: none), with their balance and, after it, their journal
   *   entries. A period with an open reservation stays. Entries are deleted in journal order, so a period's entries may
   *   remain until all older ones can be deleted.
   *
   * @returns how many reservations, balances and entries it deleted.
   */
  prune(request: PruneRequest): Promise<number>;
  /**
   * Deletes the reservations, balances and journal entries of an account whose deletion has started, in chunks. From
   * then on, the reservation of a running render is `unknown`, and nothing can be reserved, because the account's
   * balance is 0. Without this call, the ledger remains after the account is deleted: its open reservations can still
   * be resolved, but no new period opens.
   *
   * @returns how many journal entries it deleted.
   */
  deleteAccount(request: { readonly accountId: string }): Promise<number>;
  /**
   * Returns an account's newest `limit` entries, most recently written first. For audits: it may scan the whole
   * journal.
   */
  journal(request: { readonly accountId: string; readonly limit: number }): Promise<readonly JournalEntry[]>;
  /**
   * Returns every period of the next `limit` accounts after the id `after`, ordered by id, or only those of
   * `accountId`. For audits: it may scan the whole journal.
   */
  audit(request: {
    readonly after: string | null;
    readonly limit: number;
    readonly accountId?: string | undefined;
  }): Promise<AuditPortion>;
}
