import type {
  DocumentFile,
  DocumentQuota,
  DocumentRecord,
  DocumentStore,
  PutDocument,
  PutOutcome,
} from "@snap/engine/ports";
import { isStorable, type Database, type Query } from "../database.ts";
import { deleteInChunks } from "./delete-in-chunks.ts";

/** Each can be up to 50 MiB. */
const DOCUMENTS_PER_STATEMENT = 10;

const COLUMNS = `account_id AS "accountId", id, content_type AS "contentType", bytes, files, stored_at AS "storedAt",
  expires_at AS "expiresAt"`;

export function createDocumentStore(database: Database): DocumentStore {
  const { query, queryOnce } = database;
  return {
    async put(request) {
      const outcome = await database.transaction((inTransaction) => put(inTransaction, request));
      return outcome ?? { stored: true, document: request.document };
    },
    async find({ accountId, id, now }) {
      if (![accountId, id].every(isStorable)) return null;
      const [document = null] = await query<DocumentRecord>(
        `SELECT ${COLUMNS} FROM snap.documents WHERE account_id = $1 AND id = $2 AND expires_at > $3`,
        [accountId, id, now],
      );
      return document;
    },
    async readFile({ accountId, id, path, now }) {
      if (![accountId, id, path].every(isStorable)) return null;
      const [file] = await query<DocumentFile>(
        `SELECT path, file.content_type AS "contentType", file.bytes
         FROM snap.documents AS document JOIN snap.document_files AS file ON file.document = document.sequence
         WHERE account_id = $1 AND id = $2 AND expires_at > $4 AND path = $3`,
        [accountId, id, path, now],
      );
      return file === undefined ? null : { ...file, bytes: new Uint8Array(file.bytes) };
    },
    // not retried after a lost connection, because the retry would return `false` if the first try succeeded
    async delete({ accountId, id, now }) {
      if (![accountId, id].every(isStorable)) return false;
      const deleted = await queryOnce(
        "DELETE FROM snap.documents WHERE account_id = $1 AND id = $2 AND expires_at > $3 RETURNING id",
        [accountId, id, now],
      );
      return deleted.length > 0;
    },
    async prune({ now, limit }) {
      const pruned = await query(
        `DELETE FROM snap.documents WHERE sequence IN (
           SELECT sequence FROM snap.documents WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2
           FOR UPDATE SKIP LOCKED
         ) RETURNING sequence`,
        [now, limit],
      );
      return pruned.length;
    },
    async deleteAccount({ accountId }) {
      if (!isStorable(accountId)) return 0;
      return deleteInChunks(async () => {
        const deleted = await query(
          `DELETE FROM snap.documents WHERE sequence IN (
             SELECT sequence FROM snap.documents WHERE account_id = $1 LIMIT ${DOCUMENTS_PER_STATEMENT}
           ) RETURNING sequence`,
          [accountId],
        );
        return deleted.length;
      });
    },
  };
}

/** Returns `null`, which rolls back, if the account is being deleted. */
async function put(query: Query, { document, files, quota }: PutDocument): Promise<PutOutcome | null> {
  const { accountId, id, storedAt, expiresAt } = document;
  // serializes an account's uploads, so concurrent ones cannot exceed the quota
  await query("SELECT pg_advisory_xact_lock(hashtextextended('snap.documents ' || $1, 0))", [accountId]);
  const [existing] = await query<DocumentRecord>(
    `UPDATE snap.documents SET expires_at = greatest(expires_at, $4)
     WHERE account_id = $1 AND id = $2 AND expires_at > $3 RETURNING ${COLUMNS}`,
    [accountId, id, storedAt, expiresAt],
  );
  if (existing !== undefined) return { stored: true, document: existing };
  // an aggregate always returns a row
  const [used] = (await query<DocumentQuota>(
    `SELECT count(*) AS documents, coalesce(sum(bytes), 0)::BIGINT AS bytes FROM snap.documents
     WHERE account_id = $1 AND expires_at > $2`,
    [accountId, storedAt],
  )) as [DocumentQuota];
  if (used.documents + 1 > quota.documents) return { stored: false, exceeded: "documents", used };
  if (used.bytes + document.bytes > quota.bytes) return { stored: false, exceeded: "bytes", used };
  await query("DELETE FROM snap.documents WHERE account_id = $1 AND id = $2", [accountId, id]);
  await insertDocument(query, { document, files });
  // last, because it locks the account
  const [account] = await query<{ isDeleted: boolean }>('SELECT snap.is_deleted($1) AS "isDeleted"', [
    accountId,
  ]);
  return account?.isDeleted === true ? null : { stored: true, document };
}

/** Requires a transaction. */
export async function insertDocument(
  query: Query,
  { document, files }: Pick<PutDocument, "document" | "files">,
): Promise<void> {
  const { accountId, id, contentType, bytes, storedAt, expiresAt } = document;
  const [row] = await query<{ sequence: number }>(
    `INSERT INTO snap.documents (account_id, id, content_type, bytes, files, stored_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING sequence`,
    [accountId, id, contentType, bytes, document.files, storedAt, expiresAt],
  );
  for (const file of files)
    await query(
      "INSERT INTO snap.document_files (document, path, content_type, bytes) VALUES ($1, $2, $3, $4)",
      [row?.sequence, file.path, file.contentType, file.bytes],
    );
}
