import type {
  Account,
  BalanceRecord,
  BatchRecord,
  IdempotencyRecord,
  JournalEntry,
  ReservationRecord,
  TransferKind,
  TransferRecords,
} from "@snap/engine/ports";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { copyRow, prepare } from "../prepare.ts";
import { ACCOUNT_COLUMNS } from "../stores/accounts.ts";
import type { BodyFiles } from "../body-files.ts";
import {
  DOCUMENT_COLUMNS,
  toDocument,
  type DocumentPart,
  type DocumentRow,
} from "../stores/document-rows.ts";
import { BATCH_COLUMNS, WITH_ITEMS, type BatchRow } from "../stores/batch-statements.ts";
import { toBatch } from "../stores/batches.ts";
import { JOURNAL_COLUMNS, RESERVATION_COLUMNS } from "../stores/ledger-statements.ts";
import { TOKEN_COLUMNS, toToken, type TokenRow } from "../stores/tokens.ts";

/** A record's sort key: `readAfter` continues after it. */
export type Key = readonly (string | number)[];

export interface Slice<Kind extends TransferKind> {
  readonly records: readonly TransferRecords[Kind][];
  /** Key of the last record; `null` if none is left. */
  readonly last: Key | null;
}

/** Reads the records of one kind in order, page by page. */
export interface RecordReader<Kind extends TransferKind> {
  /** Sorts before the first record. */
  readonly start: Key;
  readAfter(key: Key): Slice<Kind> | Promise<Slice<Kind>>;
}

export type RecordReaders = { readonly [Kind in TransferKind]: RecordReader<Kind> };

const RECORDS_PER_PAGE = 5_000;
/** Each can have up to 20 items. */
const BATCHES_PER_PAGE = 500;

export function prepareRecordReaders(database: DatabaseSync, files: BodyFiles): RecordReaders {
  return {
    accounts: prepareReader<Account & Sequenced, Account>(database, {
      sql: `SELECT sequence, ${ACCOUNT_COLUMNS} FROM accounts ${BY_SEQUENCE}`,
      toRecord: withoutSequence,
      keyOf: ({ sequence }) => [sequence],
    }),
    tokens: prepareReader(database, {
      sql: `SELECT ${TOKEN_COLUMNS} FROM tokens WHERE id > :first ORDER BY id LIMIT :limit`,
      toRecord: (row: TokenRow) => toToken(row),
      keyOf: ({ id }) => [id],
    }),
    balances: prepareReader(database, {
      sql: `SELECT account_id AS accountId, period_started_at AS periodStartedAt, granted, used, reserved
        FROM balances WHERE (account_id, period_started_at) > (:first, :second)
        ORDER BY account_id, period_started_at LIMIT :limit`,
      start: ["", 0],
      toRecord: copyRow<BalanceRecord>,
      keyOf: ({ accountId, periodStartedAt }) => [accountId, periodStartedAt],
    }),
    reservations: prepareReader(database, {
      sql: `SELECT ${RESERVATION_COLUMNS} FROM reservations WHERE id > :first ORDER BY id LIMIT :limit`,
      start: [""],
      toRecord: copyRow<ReservationRecord>,
      keyOf: ({ id }) => [id],
    }),
    journal: prepareReader<JournalEntry & Sequenced, JournalEntry>(database, {
      sql: `SELECT sequence, ${JOURNAL_COLUMNS} FROM journal ${BY_SEQUENCE}`,
      toRecord: withoutSequence,
      keyOf: ({ sequence }) => [sequence],
    }),
    batches: prepareBatchReader(database),
    idempotencyKeys: prepareReader(database, {
      sql: `SELECT account_id AS accountId, key_hash AS keyHash, digest, expires_at AS expiresAt, batch_id AS batchId
        FROM idempotency_keys WHERE (account_id, key_hash) > (:first, :second)
        ORDER BY account_id, key_hash LIMIT :limit`,
      start: ["", ""],
      toRecord: copyRow<IdempotencyRecord>,
      keyOf: ({ accountId, keyHash }) => [accountId, keyHash],
    }),
    documents: prepareDocumentReader(database, files),
  };
}

interface Sequenced {
  readonly sequence: number;
}

const BY_SEQUENCE = "WHERE sequence > :first ORDER BY sequence LIMIT :limit";

function withoutSequence<Row extends Sequenced>(row: Row): Omit<Row, "sequence"> {
  const { sequence: _, ...record } = row;
  return record;
}

function prepareReader<Row, TransferRecord>(
  database: DatabaseSync,
  {
    sql,
    start = [0],
    toRecord,
    keyOf,
  }: {
    readonly sql: string;
    readonly start?: Key;
    readonly toRecord: (row: Row) => TransferRecord;
    readonly keyOf: (row: Row) => Key;
  },
): {
  readonly start: Key;
  readAfter(key: Key): { readonly records: TransferRecord[]; readonly last: Key | null };
} {
  const statement = prepare<Row>(database, sql);
  return {
    start,
    readAfter(key) {
      const rows = statement.all(valuesOf(key, RECORDS_PER_PAGE));
      const last = rows.at(-1);
      return { records: rows.map(toRecord), last: last === undefined ? null : keyOf(last) };
    },
  };
}

/** The statement returns one row per item. */
function prepareBatchReader(database: DatabaseSync): RecordReader<"batches"> {
  const statement = prepare<BatchRow>(
    database,
    `SELECT ${BATCH_COLUMNS} FROM (SELECT * FROM batches ${BY_SEQUENCE}) AS batches ${WITH_ITEMS}
     ORDER BY sequence, position`,
  );
  return {
    start: [0],
    readAfter(key) {
      const rows = statement.all(valuesOf(key, BATCHES_PER_PAGE));
      const byBatch = Map.groupBy(rows, ({ sequence }) => sequence);
      const records = Array.from(byBatch.values(), toBatch).filter(
        (batch): batch is BatchRecord => batch !== null,
      );
      const last = rows.at(-1);
      return { records, last: last === undefined ? null : [last.sequence] };
    },
  };
}

/** Reads documents one at a time, because they are large. */
function prepareDocumentReader(database: DatabaseSync, files: BodyFiles): RecordReader<"documents"> {
  const statement = prepare<DocumentRow>(
    database,
    `SELECT ${DOCUMENT_COLUMNS} FROM documents ${BY_SEQUENCE}`,
  );
  const listParts = prepare<FileRow>(
    database,
    `SELECT path, content_type AS contentType, position, size FROM document_files
     WHERE document = :sequence ORDER BY position`,
  );
  return {
    start: [0],
    async readAfter(key) {
      const [row] = statement.all(valuesOf(key, 1));
      if (row === undefined) return { records: [], last: null };
      const { sequence } = row;
      const bytes = await files.read(sequence, { position: 0, size: row.bytes });
      if (bytes === null)
        throw new Error(`the file of document ${row.id} is missing or truncated; restore a backup`);
      const parts = listParts.all({ sequence }).map(({ path, contentType, position, size }) => ({
        path,
        contentType,
        bytes: bytes.subarray(position, position + size),
      }));
      return { records: [{ document: toDocument(row), files: parts }], last: [sequence] };
    },
  };
}

interface FileRow extends Omit<DocumentPart, "sequence"> {
  readonly path: string;
}

function valuesOf([first = 0, second = 0]: Key, limit: number): Record<string, SQLInputValue> {
  return { first, second, limit };
}
