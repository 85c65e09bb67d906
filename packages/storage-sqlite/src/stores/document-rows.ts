import type { DocumentKey, DocumentQuota, DocumentRecord, PutDocument, PutOutcome } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { copyRow, prepare } from "../prepare.ts";
import { transact, transactDurably } from "../transaction.ts";
import type { Deletions } from "./deletions.ts";

/** A document's row; `sequence` is also the id of its file. */
export interface DocumentRow extends DocumentRecord {
  readonly sequence: number;
}

/** Location of one file's bytes. */
export interface DocumentPart {
  readonly sequence: number;
  readonly contentType: string;
  readonly position: number;
  readonly size: number;
}

type WithNow = { readonly now: number };

/** The rows of the documents and of their files. */
export interface DocumentRows {
  /**
   * Returns the outcome if nothing has to be inserted: the account already has the document, whose expiry is extended, or
   * would exceed its quota, or is being deleted. Otherwise returns `null`.
   */
  putWithoutInsert(request: PutDocument): PutOutcome | null;
  /** Like `putWithoutInsert`, and inserts the document in the same transaction if it returns `null`. */
  insert(request: PutDocument, sequence: number): PutOutcome | null;
  find(request: DocumentKey & WithNow): DocumentRow | null;
  findPart(request: DocumentKey & WithNow & { readonly path: string }): DocumentPart | null;
  /** Returns the sequences of at most `limit` documents of an account. */
  listByAccount(request: { readonly accountId: string; readonly limit: number }): readonly number[];
  /** Returns the sequences of at most `limit` documents that have expired by `now`. */
  expired(request: { readonly now: number; readonly limit: number }): readonly number[];
  has(sequence: number): boolean;
  /** Returns how many existed. */
  remove(sequences: readonly number[]): number;
}

export const DOCUMENT_COLUMNS = `sequence, account_id AS accountId, id, content_type AS contentType, bytes, files,
  stored_at AS storedAt, expires_at AS expiresAt`;
const BY_KEY = "account_id = :accountId AND id = :id";

export function createDocumentRows(database: DatabaseSync, deletions: Deletions): DocumentRows {
  const find = prepare<DocumentRow>(
    database,
    `SELECT ${DOCUMENT_COLUMNS} FROM documents WHERE ${BY_KEY} AND expires_at > :now`,
  );
  const findPart = prepare<DocumentPart>(
    database,
    `SELECT sequence, document_files.content_type AS contentType, position, size
     FROM documents JOIN document_files ON document = sequence
     WHERE ${BY_KEY} AND expires_at > :now AND path = :path`,
  );
  const remove = prepare(database, "DELETE FROM documents WHERE sequence = :sequence");
  const findSomeByAccount = prepare<{ sequence: number }>(
    database,
    "SELECT sequence FROM documents WHERE account_id = :accountId LIMIT :limit",
  );
  const findExpired = prepare<{ sequence: number }>(
    database,
    "SELECT sequence FROM documents WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit",
  );
  const findRow = prepare(database, "SELECT 1 FROM documents WHERE sequence = :sequence");
  const writes = prepareWrites(database, deletions);

  return {
    putWithoutInsert: (request) => transactDurably(database, () => writes.putWithoutInsert(request)),
    insert: (request, sequence) =>
      transactDurably(database, () => {
        const outcome = writes.putWithoutInsert(request);
        if (outcome === null) writes.insert(request, sequence);
        return outcome;
      }),
    find: ({ accountId, id, now }) => find.get({ accountId, id, now }) ?? null,
    findPart: ({ accountId, id, path, now }) => findPart.get({ accountId, id, path, now }) ?? null,
    listByAccount: (request) => findSomeByAccount.all(request).map(({ sequence }) => sequence),
    expired: (request) => findExpired.all(request).map(({ sequence }) => sequence),
    has: (sequence) => findRow.get({ sequence }) !== undefined,
    remove: (sequences) =>
      transact(database, () =>
        sequences.reduce((sum, sequence) => sum + Number(remove.run({ sequence }).changes), 0),
      ),
  };
}

/** The writes of one transaction. */
function prepareWrites(
  database: DatabaseSync,
  deletions: Deletions,
): {
  putWithoutInsert(request: PutDocument): PutOutcome | null;
  insert(request: PutDocument, sequence: number): void;
} {
  const extend = prepare<DocumentRow>(
    database,
    `UPDATE documents SET expires_at = max(expires_at, :expiresAt)
     WHERE ${BY_KEY} AND expires_at > :storedAt RETURNING ${DOCUMENT_COLUMNS}`,
  );
  const sum = prepare<DocumentQuota>(
    database,
    `SELECT count(*) AS documents, coalesce(sum(bytes), 0) AS bytes FROM documents
     WHERE account_id = :accountId AND expires_at > :storedAt`,
  );
  const removeExpired = prepare(database, `DELETE FROM documents WHERE ${BY_KEY}`);
  const insertDocument = prepare(
    database,
    `INSERT INTO documents (sequence, account_id, id, content_type, bytes, files, stored_at, expires_at)
     VALUES (:sequence, :accountId, :id, :contentType, :bytes, :files, :storedAt, :expiresAt)`,
  );
  const insertFile = prepare(
    database,
    `INSERT INTO document_files (document, path, content_type, position, size)
     VALUES (:sequence, :path, :contentType, :position, :size)`,
  );
  return {
    putWithoutInsert({ document, quota }) {
      if (deletions.includes(document.accountId)) return { stored: true, document };
      const [existing] = extend.all({ ...document });
      if (existing !== undefined) return { stored: true, document: toDocument(existing) };
      // an aggregate always returns a row
      const used = copyRow(sum.get({ ...document }) as DocumentQuota);
      if (used.documents + 1 > quota.documents) return { stored: false, exceeded: "documents", used };
      return used.bytes + document.bytes > quota.bytes ? { stored: false, exceeded: "bytes", used } : null;
    },
    insert({ document, files }, sequence) {
      // its file is swept later
      removeExpired.run({ ...document });
      insertDocument.run({ ...document, sequence });
      let position = 0;
      for (const { path, contentType, bytes } of files) {
        insertFile.run({ sequence, path, contentType, position, size: bytes.byteLength });
        position += bytes.byteLength;
      }
    },
  };
}

/** Picks the record from a row with more columns. */
export function toDocument(row: DocumentRow): DocumentRecord {
  const { sequence: _, ...record } = row;
  return record;
}
