import type { RenderingStore, StoredRendering } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";

type Described = Omit<StoredRendering, "bytes">;

/** As stored: the notes are JSON. */
type Row<T extends Described> = Omit<T, "notes"> & { readonly notes: string };

/** All columns but the bytes, which SQLite then does not read. */
const DESCRIPTION_COLUMNS = `content_type AS contentType, target_status AS targetStatus, notes, etag,
  stored_at AS storedAt, expires_at AS expiresAt`;

export function createRenderingStore(database: DatabaseSync): RenderingStore {
  const isLive = "account_id = :accountId AND key = :key AND expires_at > :now";
  const get = prepare<Row<StoredRendering>>(
    database,
    `SELECT ${DESCRIPTION_COLUMNS}, bytes FROM renderings WHERE ${isLive}`,
  );
  const peek = prepare<Row<Described>>(
    database,
    `SELECT ${DESCRIPTION_COLUMNS} FROM renderings WHERE ${isLive}`,
  );
  const put = prepare(
    database,
    `INSERT INTO renderings (account_id, key, content_type, target_status, notes, etag, stored_at, expires_at, bytes)
     VALUES (:accountId, :key, :contentType, :targetStatus, :notes, :etag, :storedAt, :expiresAt, :bytes)
     ON CONFLICT (account_id, key) DO UPDATE SET
       content_type = excluded.content_type, target_status = excluded.target_status, notes = excluded.notes,
       etag = excluded.etag, stored_at = excluded.stored_at, expires_at = excluded.expires_at,
       bytes = excluded.bytes`,
  );
  const remove = prepare(database, "DELETE FROM renderings WHERE account_id = :accountId AND key = :key");
  const prune = prepare(
    database,
    `DELETE FROM renderings WHERE rowid IN
       (SELECT rowid FROM renderings WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit)`,
  );

  return {
    async get({ accountId, key, now }) {
      const row = get.get({ accountId, key, now });
      return row === undefined ? null : { ...row, notes: JSON.parse(row.notes) as string[] };
    },
    async peek({ accountId, key, now }) {
      const row = peek.get({ accountId, key, now });
      return row === undefined ? null : { ...row, notes: JSON.parse(row.notes) as string[] };
    },
    async put({ accountId, key, rendering }) {
      put.run({ accountId, key, ...rendering, notes: JSON.stringify(rendering.notes) });
    },
    async delete({ accountId, key }) {
      remove.run({ accountId, key });
    },
    async prune({ now, limit }) {
      return Number(prune.run({ now, limit }).changes);
    },
  };
}
