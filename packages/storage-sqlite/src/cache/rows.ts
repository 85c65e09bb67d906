import type { PageFacts, RenderingKey, StoredRendering } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare } from "../prepare.ts";
import type { Deletions } from "../stores/deletions.ts";
import { transact } from "../transaction.ts";

type Metadata = Omit<StoredRendering, "bytes">;

/** As stored: the notes and the page are JSON. */
type Stored<T extends Metadata> = Omit<T, "notes" | "page"> & {
  readonly notes: string;
  readonly page: string | null;
};

export interface FoundRow extends StoredRendering {
  readonly id: number;
  /** `null` in rows from older releases, which contain the bytes. */
  readonly size: number | null;
}

/** The rows of the renderings. */
export interface RenderingRows {
  find(request: RenderingKey & { readonly now: number }): FoundRow | null;
  findMetadata(request: RenderingKey & { readonly now: number }): Metadata | null;
  /**
   * Inserts a row whose bytes are in a file, in place of the row with the same key. Returns the ids whose files are then
   * unused: the replaced row's, or the new row's own if the account is being deleted and nothing is inserted.
   */
  replace(
    key: RenderingKey,
    row: Metadata & { readonly id: number; readonly size: number },
  ): readonly number[];
  /** Returns the ids of some rows of an account, or of all accounts. */
  someIds(request: { readonly accountId: string | null; readonly limit: number }): readonly number[];
  idsOf(key: RenderingKey): readonly number[];
  expiredIds(request: { readonly now: number; readonly limit: number }): readonly number[];
  has(id: number): boolean;
  remove(ids: readonly number[]): void;
}

/** The metadata without the bytes, so SQLite does not read them. */
const METADATA_COLUMNS = `content_type AS contentType, target_status AS targetStatus, notes, page, etag,
  stored_at AS storedAt, expires_at AS expiresAt`;
const BY_KEY = "account_id = :accountId AND key = :key";

export function createRenderingRows(database: DatabaseSync, deletions: Deletions): RenderingRows {
  const find = prepare<Stored<FoundRow>>(
    database,
    `SELECT rowid AS id, ${METADATA_COLUMNS}, bytes, size FROM renderings
     WHERE ${BY_KEY} AND expires_at > :now`,
  );
  const findMetadata = prepare<Stored<Metadata>>(
    database,
    `SELECT ${METADATA_COLUMNS} FROM renderings WHERE ${BY_KEY} AND expires_at > :now`,
  );
  const insert = prepare(
    database,
    `INSERT INTO renderings
       (rowid, account_id, key, content_type, target_status, notes, page, etag, stored_at, expires_at, bytes, size)
     VALUES (:id, :accountId, :key, :contentType, :targetStatus, :notes, :page, :etag, :storedAt, :expiresAt, x'', :size)`,
  );
  const findIds = prepare<{ id: number }>(database, `SELECT rowid AS id FROM renderings WHERE ${BY_KEY}`);
  const findExpired = prepare<{ id: number }>(
    database,
    "SELECT rowid AS id FROM renderings WHERE expires_at <= :now ORDER BY expires_at LIMIT :limit",
  );
  const findSome = prepare<{ id: number }>(database, "SELECT rowid AS id FROM renderings LIMIT :limit");
  const findSomeByAccount = prepare<{ id: number }>(
    database,
    "SELECT rowid AS id FROM renderings WHERE account_id = :accountId LIMIT :limit",
  );
  const findRow = prepare(database, "SELECT 1 FROM renderings WHERE rowid = :id");
  const remove = prepare(database, "DELETE FROM renderings WHERE rowid = :id");

  const idsOf = ({ accountId, key }: RenderingKey): number[] =>
    findIds.all({ accountId, key }).map(({ id }) => id);
  return {
    find: ({ accountId, key, now }) => parseRow(find.get({ accountId, key, now })),
    findMetadata: ({ accountId, key, now }) => parseRow(findMetadata.get({ accountId, key, now })),
    replace: ({ accountId, key }, { notes, page = null, ...row }) =>
      transact(database, () => {
        if (deletions.includes(accountId)) return [row.id];
        const replaced = idsOf({ accountId, key });
        for (const id of replaced) remove.run({ id });
        const json = { notes: JSON.stringify(notes), page: page && JSON.stringify(page) };
        insert.run({ ...row, accountId, key, ...json });
        return replaced;
      }),
    idsOf,
    someIds: ({ accountId, limit }) =>
      (accountId === null ? findSome.all({ limit }) : findSomeByAccount.all({ accountId, limit })).map(
        ({ id }) => id,
      ),
    expiredIds: (request) => findExpired.all(request).map(({ id }) => id),
    has: (id) => findRow.get({ id }) !== undefined,
    remove: (ids) =>
      transact(database, () => {
        for (const id of ids) remove.run({ id });
      }),
  };
}

function parseRow<T extends Metadata>(row: Stored<T> | undefined): T | null {
  if (row === undefined) return null;
  const { notes, page, ...rest } = row;
  const parsed = {
    notes: JSON.parse(notes) as string[],
    ...(page !== null && { page: JSON.parse(page) as PageFacts }),
  };
  return { ...rest, ...parsed } as unknown as T;
}
