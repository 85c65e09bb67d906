import type { Account } from "./accounts.ts";
import type { BatchRecord } from "./batches.ts";
import type { Balance, JournalEntry, Resolution } from "./ledger.ts";
import type { TokenRecord } from "./tokens.ts";

/*
 * What leaves one storage and arrives in another. Cached renderings and request budgets stay behind: the
 * ones can be made again, and the others are a minute's worth.
 */

/** The credits of one period of an account. */
export interface BalanceRecord extends Balance {
  readonly accountId: string;
  readonly periodStartedAt: number;
}

/** A reservation, and how it ended if it has; `refused` never became one, and answers repetitions. */
export interface ReservationRecord {
  readonly id: string;
  readonly accountId: string;
  readonly periodStartedAt: number;
  readonly lapsesAt: number;
  readonly state: "open" | "refused" | Exclude<Resolution, "unknown">;
}

/** Everything that moves, by kind. */
export interface TransferRecords {
  readonly accounts: Account;
  readonly tokens: TokenRecord;
  readonly balances: BalanceRecord;
  readonly reservations: ReservationRecord;
  readonly journal: JournalEntry;
  readonly batches: BatchRecord;
}

export type TransferKind = keyof TransferRecords;

interface PageOf<Kind extends TransferKind> {
  readonly kind: Kind;
  readonly records: readonly TransferRecords[Kind][];
  /** Where the page behind this one begins: text that only the source can read. */
  readonly next: string;
}

/** Some records of one kind, in their order. */
export type TransferPage = { readonly [Kind in TransferKind]: PageOf<Kind> }[TransferKind];

/** By what two storages are compared: how many there are of each, and the sums of the ledger. */
export interface TransferFigures {
  readonly accounts: number;
  readonly tokens: number;
  /** The highest id that a token was ever given, revoked ones included; 0 before the first. */
  readonly lastTokenId: number;
  readonly balances: number;
  readonly granted: number;
  readonly used: number;
  readonly reserved: number;
  readonly reservations: number;
  readonly openReservations: number;
  readonly journalLines: number;
  /** Credits in the journal's lines of each kind. */
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
}

/** A storage that is moved away from. Nobody else can use it until it is closed. */
export interface TransferSource {
  /** Names what is in it: another text once anything was written. */
  readonly mark: string;
  figures(): Promise<TransferFigures>;
  /**
   * The page at `position`, `null` behind the last one. From `null` on, all pages are there once: accounts
   * in the order of creation, tokens, balances, reservations, the journal in its order, batches in the order
   * of submission.
   */
  read(position: string | null): Promise<TransferPage | null>;
  close(): Promise<void>;
}

/** How far a move into a storage has come. */
export interface TransferState {
  /** The source's, as it was when the move began. */
  readonly mark: string;
  /** Where the next page begins; `null` at the start. */
  readonly position: string | null;
  /** Records that have arrived. */
  readonly moved: number;
  /** What the source held, once the move has ended and was found complete; `null` until then. */
  readonly finished: TransferFigures | null;
}

/** A storage that is moved into. */
export interface TransferTarget {
  /**
   * The move that is under way, or has ended; begins one where there is none.
   *
   * @throws Error when the storage holds records, and none of them were moved into it.
   */
  begin(mark: string): Promise<TransferState>;
  /**
   * Stores the page of the position given, and that it did, or nothing at all.
   *
   * @throws Error when another move has stored it meanwhile.
   */
  write(request: { readonly position: string | null; readonly page: TransferPage }): Promise<void>;
  /** Lets the next token have the id behind this one. */
  continueTokenIds(lastTokenId: number): Promise<void>;
  figures(): Promise<TransferFigures>;
  /** Ends the move: from now on the storage may be used. */
  finish(figures: TransferFigures): Promise<void>;
  close(): Promise<void>;
}
