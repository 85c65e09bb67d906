import type { TransferFigures, TransferKind, TransferPage, TransferSource } from "@snap/engine/ports";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isBusy } from "../database.ts";
import { migrate } from "../migrate.ts";
import { prepare } from "../prepare.ts";
import { prepareRecordReaders, type Key, type RecordReaders } from "./read-records.ts";

/** A command that is just ending, or a backup, is waited for. */
const BUSY_TIMEOUT_MS = 2_000;

/** The order of the port. */
const KINDS: readonly TransferKind[] = [
  "accounts",
  "tokens",
  "balances",
  "reservations",
  "journal",
  "batches",
];

const FIGURES = `SELECT
  (SELECT count(*) FROM accounts) AS accounts,
  (SELECT count(*) FROM tokens) AS tokens,
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tokens'), 0) AS lastTokenId,
  balance.*, reservation.*, journal.*,
  (SELECT count(*) FROM batches) AS batches,
  item.*, delivery.*
FROM
  (SELECT count(*) AS balances, coalesce(sum(granted), 0) AS granted, coalesce(sum(used), 0) AS used,
    coalesce(sum(reserved), 0) AS reserved FROM balances) AS balance,
  (SELECT count(*) AS reservations, count(*) FILTER (WHERE state = 'open') AS openReservations
   FROM reservations) AS reservation,
  (SELECT count(*) AS journalLines, ${sumOf("grant")} AS journalGranted, ${sumOf("reserve")} AS journalReserved,
    ${sumOf("settle")} AS journalSettled, ${sumOf("refund")} AS journalRefunded,
    ${sumOf("lapse")} AS journalLapsed, ${sumOf("reverse")} AS journalReversed FROM journal) AS journal,
  (SELECT count(*) AS batchItems, count(*) FILTER (WHERE claimable_at IS NOT NULL) AS unfinishedItems
   FROM batch_items) AS item,
  (SELECT count(*) AS deliveries, count(*) FILTER (WHERE claimable_at IS NOT NULL) AS openDeliveries
   FROM deliveries) AS delivery`;

/**
 * Opens the embedded storage in a folder to be moved elsewhere, with `transfer` of `@snap/engine`. Until it is
 * closed nobody else can open it, and it isn't opened while anybody else has it, idle or not: what is moved is
 * all there is. Cached renderings and request budgets stay behind.
 *
 * @throws Error when there is none in the folder, when it is in use, of another program, or of a newer release.
 *
 * @example
 * const source = await openSqliteSource({ directory: "./data" });
 * console.log(await source.figures());
 * await source.close();
 */
export async function openSqliteSource({
  directory,
}: {
  /** Folder of the file `snap.db`. */
  readonly directory: string;
}): Promise<TransferSource> {
  const filename = join(directory, "snap.db");
  if (!existsSync(filename)) throw new Error(`there is no snap.db in ${directory}`);
  const database = openAlone(filename);
  const readers = prepareRecordReaders(database);
  return {
    mark: markOf(filename),
    figures: async () => readFigures(database),
    read: async (position) => readPage(readers, position),
    async close() {
      if (database.isOpen) database.close();
    },
  };
}

function openAlone(filename: string): DatabaseSync {
  const database = new DatabaseSync(filename, {
    timeout: BUSY_TIMEOUT_MS,
    // A key of one value is bound where there might be two.
    allowUnknownNamedParameters: true,
  });
  try {
    // Before the first look at the file: it is then locked as a whole until it is closed. Whoever has
    // opened it otherwise holds a lock of its own for as long (SQLite documentation, WAL, "Use of WAL
    // without shared memory").
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL");
    migrate(database, filename);
    // What a killed server left in the log goes into the file now, and no longer changes it afterwards.
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return database;
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new Error(`${filename} is in use: stop the server, and every command that works on it`, {
      cause: error,
    });
  }
}

/** Every write goes into the file at the latest when it is closed, or before it is moved. */
function markOf(filename: string): string {
  const { mtimeNs, size } = statSync(filename, { bigint: true });
  return `${mtimeNs}-${size}`;
}

/** A position is the kind and the key of the record that stands before the page. */
function readPage(readers: RecordReaders, position: string | null): TransferPage | null {
  const [from, key] =
    position === null ? ([KINDS[0], null] as const) : (JSON.parse(position) as [TransferKind, Key]);
  for (const kind of KINDS.slice(KINDS.findIndex((one) => one === from))) {
    const reader = readers[kind];
    const { records, last } = reader.readAfter(kind === from && key !== null ? key : reader.start);
    if (last !== null) return { kind, records, next: JSON.stringify([kind, last]) } as TransferPage;
  }
  return null;
}

function readFigures(database: DatabaseSync): TransferFigures {
  // An aggregate always answers its row.
  const figures = prepare<TransferFigures>(database, FIGURES).get() as TransferFigures;
  return { ...figures };
}

function sumOf(kind: string): string {
  return `coalesce(sum(credits) FILTER (WHERE kind = '${kind}'), 0)`;
}
