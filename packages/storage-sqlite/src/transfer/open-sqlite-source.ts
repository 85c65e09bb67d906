import type {
  SchemaMigration,
  TransferTotals,
  TransferKind,
  TransferPage,
  TransferSource,
} from "@snap/engine/ports";
import { statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openDocumentFiles, type BodyFiles } from "../body-files.ts";
import { hasDatabase } from "../database.ts";
import { isBusy, StorageFault } from "../faults.ts";
import { lockFolder } from "../folder-lock.ts";
import { migrate } from "../migrate.ts";
import { copyRow, prepare } from "../prepare.ts";
import { prepareRecordReaders, type Key, type RecordReaders } from "./read-records.ts";

/** How long to wait for a running command or backup to finish. */
const BUSY_TIMEOUT_MS = 2_000;

/** In the order that `TransferSource` requires. */
const KINDS: readonly TransferKind[] = [
  "accounts",
  "tokens",
  "balances",
  "reservations",
  "journal",
  "batches",
  "idempotencyKeys",
  "documents",
];

const TOTALS = `SELECT
  (SELECT count(*) FROM accounts) AS accounts,
  (SELECT count(*) FROM tokens) AS tokens,
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'tokens'), 0) AS lastTokenId,
  balance.*, reservation.*, journal.*,
  (SELECT count(*) FROM batches) AS batches,
  (SELECT count(*) FROM idempotency_keys) AS idempotencyKeys,
  item.*, delivery.*, document.*
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
   FROM deliveries) AS delivery,
  (SELECT count(*) AS documents, coalesce(sum(bytes), 0) AS documentBytes FROM documents) AS document`;

/**
 * Opens the embedded storage to move it to another one, with `transfer` from `@snap/engine`. Requires exclusive access,
 * so that no record is missed: it fails while another process has the file open, and no other process can open the file
 * until it is closed. Cached renderings, rate limits, the history, delivery attempts, sign-ins and the audit log are not
 * moved. Deletes documents whose file is missing or truncated.
 *
 * @throws StorageFault if the directory contains no storage (`database_missing`), or if it is in use (`folder_in_use`) or
 * was written by a newer or older release (`schema_newer`, `schema_older`). Error if it belongs to another program.
 *
 * @example
 * const source = await openSqliteSource({ directory: "./data" });
 * console.log(await source.totals());
 * await source.close();
 */
export async function openSqliteSource({
  directory,
}: {
  /** Directory of the file `snap.db`. */
  readonly directory: string;
}): Promise<TransferSource> {
  const filename = join(directory, "snap.db");
  if (!hasDatabase(filename))
    throw new StorageFault(
      "database_missing",
      `${directory} does not contain snap.db`,
      "set --from or SNAP_DATA_DIR to the service's folder",
    );
  const lock = lockFolder(filename, { use: "shared", timeoutMs: BUSY_TIMEOUT_MS });
  const opened: DatabaseSync[] = [];
  const close = (): void => {
    for (const database of opened) if (database.isOpen) database.close();
    lock.release();
  };
  try {
    const database = new DatabaseSync(filename, {
      timeout: BUSY_TIMEOUT_MS,
      // a key with one value is bound with an unused second parameter
      allowUnknownNamedParameters: true,
    });
    opened.push(database);
    lockFile(database, filename);
    const files = openDocumentFiles(filename);
    await discardLostDocuments(database, files);
    const readers = prepareRecordReaders(database, files);
    return {
      fingerprint: fingerprintOf(filename),
      totals: async () => readTotals(database),
      read: (position) => readPage(readers, position),
      close: async () => close(),
    };
  } catch (error) {
    close();
    if (!isBusy(error)) throw error;
    throw new StorageFault(
      "folder_in_use",
      `${filename} is in use`,
      "stop the server and all commands that use it",
    );
  }
}

/** Locks the whole file until it is closed. */
function lockFile(database: DatabaseSync, filename: string): void {
  // before the first read, which then locks the file exclusively; it fails while there is another
  // connection, because even an idle one holds a lock (SQLite documentation, WAL, "Use of WAL
  // without shared memory")
  database.exec("PRAGMA locking_mode = EXCLUSIVE");
  database.exec("PRAGMA journal_mode = WAL");
  const beforeMigration = ({ from, to }: SchemaMigration): never => {
    throw new StorageFault(
      "schema_older",
      `${filename} has schema version ${from}, not ${to}`,
      "first run `snap-server database upgrade`, or open it with openSqliteStorage",
    );
  };
  migrate(database, { filename, beforeMigration });
  // moves what a killed server left in the log into the file, so that no later checkpoint changes
  // the file's fingerprint
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Identifies the content: the log is empty, and a later write changes the file's time or size. */
function fingerprintOf(filename: string): string {
  const { mtimeNs, size } = statSync(filename, { bigint: true });
  return `${mtimeNs}-${size}`;
}

/**
 * Deletes documents whose file is missing or has the wrong size. A backup lacks the files of
 * documents that were deleted while it was being made, so a restored database can list them.
 */
async function discardLostDocuments(database: DatabaseSync, files: BodyFiles): Promise<void> {
  database.exec("PRAGMA secure_delete = ON");
  const list = prepare<{ sequence: number; bytes: number }>(
    database,
    "SELECT sequence, bytes FROM documents",
  );
  const remove = prepare(database, "DELETE FROM documents WHERE sequence = :sequence");
  for (const { sequence, bytes } of list.all())
    if (!(await files.has(sequence, bytes))) remove.run({ sequence });
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** A position is the kind and key of the last record before the page. */
async function readPage(readers: RecordReaders, position: string | null): Promise<TransferPage | null> {
  const [from, key] =
    position === null ? ([KINDS[0], null] as const) : (JSON.parse(position) as [TransferKind, Key]);
  for (const kind of KINDS.slice(KINDS.findIndex((one) => one === from))) {
    const reader = readers[kind];
    const { records, last } = await reader.readAfter(kind === from && key !== null ? key : reader.start);
    if (last !== null) return { kind, records, next: JSON.stringify([kind, last]) } as TransferPage;
  }
  return null;
}

function readTotals(database: DatabaseSync): TransferTotals {
  // an aggregate always returns a row
  return copyRow(prepare<TransferTotals>(database, TOTALS).get() as TransferTotals);
}

function sumOf(kind: string): string {
  return `coalesce(sum(credits) FILTER (WHERE kind = '${kind}'), 0)`;
}
