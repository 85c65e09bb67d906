import type { Account } from "./accounts.ts";
import type { BatchRecord, IdempotencyClaim } from "./batches.ts";
import type { DocumentFile, DocumentRecord } from "./documents.ts";
import type { Balance, JournalEntry, Resolution } from "./ledger.ts";
import type { TokenRecord } from "./tokens.ts";

/*
 * Interfaces to move the durable state from one storage to another. It excludes cached renderings,
 * which can be rendered again; rate limits, which last a minute; the history with its totals;
 * delivery attempts; sign-ins; and the audit log.
 */

/** An account's credits for one period. */
export interface BalanceRecord extends Balance {
  readonly accountId: string;
  readonly periodStartedAt: number;
}

/** A reservation and its state. `refused`: no credit remained; stored so a repeat returns the same result. */
export interface ReservationRecord {
  readonly id: string;
  readonly accountId: string;
  readonly periodStartedAt: number;
  readonly lapsesAt: number;
  readonly state: "open" | "refused" | Exclude<Resolution, "unknown">;
}

/** A batch's claim on an idempotency key, current or expired. */
export interface IdempotencyRecord extends IdempotencyClaim {
  readonly accountId: string;
  readonly batchId: string;
}

/** A document with its files. */
export interface WholeDocument {
  readonly document: DocumentRecord;
  readonly files: readonly DocumentFile[];
}

/** The records that are moved, by kind. */
export interface TransferRecords {
  readonly accounts: Account;
  readonly tokens: TokenRecord;
  readonly balances: BalanceRecord;
  readonly reservations: ReservationRecord;
  readonly journal: JournalEntry;
  readonly batches: BatchRecord;
  readonly idempotencyKeys: IdempotencyRecord;
  /** Up to 50 MiB each, so they are moved one at a time. */
  readonly documents: WholeDocument;
}

export type TransferKind = keyof TransferRecords;

interface PageOf<Kind extends TransferKind> {
  readonly kind: Kind;
  readonly records: readonly TransferRecords[Kind][];
  /** Position of the next page, as text that only the source understands. */
  readonly next: string;
}

/** A page of records of one kind, in order. */
export type TransferPage = { readonly [Kind in TransferKind]: PageOf<Kind> }[TransferKind];

/** Record counts and ledger sums, to compare two storage backends. */
export interface TransferTotals {
  readonly accounts: number;
  readonly tokens: number;
  /** The highest token id so far, including revoked tokens; 0 before the first. */
  readonly lastTokenId: number;
  readonly balances: number;
  readonly granted: number;
  readonly used: number;
  readonly reserved: number;
  readonly reservations: number;
  readonly openReservations: number;
  readonly journalLines: number;
  /** Sum of the credits in the journal, by kind of entry. */
  readonly journalGranted: number;
  readonly journalReserved: number;
  readonly journalSettled: number;
  readonly journalRefunded: number;
  readonly journalLapsed: number;
  readonly journalReversed: number;
  readonly batches: number;
  readonly batchItems: number;
  readonly unfinishedItems: number;
  readonly deliveries: number;
  readonly openDeliveries: number;
  readonly idempotencyKeys: number;
  readonly documents: number;
  /** Total size of their files. */
  readonly documentBytes: number;
}

/** A migration's source, opened for exclusive use until it is closed. */
export interface TransferSource {
  /** Identifies the content; changes with every write. */
  readonly fingerprint: string;
  totals(): Promise<TransferTotals>;
  /**
   * Returns the page at `position`, or `null` after the last page. Position `null` is the first page. The order is:
   * accounts by creation, tokens, balances, reservations, the journal in its order, batches by submission,
   * idempotency keys, documents.
   */
  read(position: string | null): Promise<TransferPage | null>;
  close(): Promise<void>;
}

/** Progress of a migration into a storage. */
export interface TransferState {
  /** The `fingerprint` of the source at the start of the migration. */
  readonly fingerprint: string;
  /** Position of the next page; `null` at the start. */
  readonly position: string | null;
  /** Number of stored records. */
  readonly moved: number;
  /** The source's totals after a complete migration; `null` until then. */
  readonly finished: TransferTotals | null;
}

/** A migration's target. */
export interface TransferTarget {
  /**
   * Returns the current or completed migration, or starts one.
   *
   * @throws Error if none has begun and the storage already contains records.
   */
  begin(fingerprint: string): Promise<TransferState>;
  /**
   * Stores the page at `position` and the new position, atomically.
   *
   * @throws Error if another process has already stored it.
   */
  write(request: { readonly position: string | null; readonly page: TransferPage }): Promise<void>;
  /** Makes new token ids start after this one. */
  continueTokenIds(lastTokenId: number): Promise<void>;
  totals(): Promise<TransferTotals>;
  /** Completes the migration, so the storage can be used. */
  finish(totals: TransferTotals): Promise<void>;
  close(): Promise<void>;
}
