import type { BatchRecord, BatchSummary, DueDelivery, DueItem, ItemRecord } from "@snap/engine/ports";
import type { DatabaseSync } from "node:sqlite";
import { prepare, type Statement } from "../prepare.ts";

/** An item's row joined with its batch's row. */
export interface BatchRow extends Omit<BatchRecord, "items" | "delivery">, Pick<ItemRecord, "key"> {
  readonly sequence: number;
  readonly itemId: string;
  /** JSON, like `state` and `delivery`. */
  readonly parameters: string;
  readonly state: string;
  readonly delivery: string | null;
}

/** A batch in a list. */
export interface SummaryRow extends Omit<BatchSummary, "items" | "delivery"> {
  /** JSON, like `delivery`. */
  readonly items: string;
  readonly delivery: string | null;
}

export interface Stats {
  readonly queuedItems: number;
  readonly renderingItems: number;
  readonly oldestCreatedAt: number | null;
  readonly openDeliveries: number;
}

interface BatchPages {
  readonly page: Statement<SummaryRow>;
  readonly count: Statement<{ readonly matched: number }>;
}

export interface BatchStatements {
  readonly find: Statement<BatchRow>;
  readonly pages: BatchPages;
  readonly pagesByAccount: BatchPages;
  readonly claimKey: Statement<never>;
  readonly findHolder: Statement<BatchRow & { readonly digest: string }>;
  readonly insert: Statement<Pick<BatchRow, "sequence">>;
  readonly insertItem: Statement<never>;
  readonly finish: Statement<never>;
  readonly updateItem: Statement<never>;
  readonly putDelivery: Statement<never>;
  readonly dueItems: Statement<DueItem>;
  readonly dueDeliveries: Statement<DueDelivery>;
  readonly prune: Statement<never>;
  readonly removeSome: Statement<never>;
  readonly stats: Statement<Stats>;
}

/** The indexed parts of a state. */
const CLAIMABLE_AT = "coalesce(:state ->> 'dueAt', :state ->> 'leaseEndsAt')";
const STATUS = ":state ->> 'status'";

/** The columns of an item and its batch, aliased to the field names of `BatchRow`. */
export const BATCH_COLUMNS = `sequence, batches.id, batches.account_id AS accountId, token_id AS tokenId,
  webhook_url AS webhookUrl, created_at AS createdAt, finished_at AS finishedAt, prunes_at AS prunesAt,
  deliveries.state AS delivery, batch_items.id AS itemId, parameters, key, batch_items.state`;
/** Joins a batch with its items and its delivery. */
export const WITH_ITEMS = `JOIN batch_items ON batch_items.batch = sequence
  LEFT JOIN deliveries ON deliveries.batch = sequence`;

export function prepareBatchStatements(database: DatabaseSync): BatchStatements {
  return {
    ...prepareRecords(database),
    ...prepareKeys(database),
    pages: preparePages(database, "TRUE"),
    pagesByAccount: preparePages(database, "account_id = :accountId"),
    ...prepareQueues(database),
  };
}

function prepareRecords(
  database: DatabaseSync,
): Pick<BatchStatements, "find" | "insert" | "insertItem" | "finish" | "updateItem" | "putDelivery"> {
  return {
    // one statement, to read a consistent snapshot while other processes change the batch
    find: prepare(
      database,
      `SELECT ${BATCH_COLUMNS} FROM batches ${WITH_ITEMS} WHERE batches.id = :id ORDER BY position`,
    ),
    insert: prepare(
      database,
      `INSERT INTO batches (id, account_id, token_id, webhook_url, created_at, finished_at, prunes_at)
       VALUES (:id, :accountId, :tokenId, :webhookUrl, :createdAt, :finishedAt, :prunesAt) RETURNING sequence`,
    ),
    insertItem: prepare(
      database,
      `INSERT INTO batch_items (batch, position, id, account_id, key, parameters, state, status, claimable_at)
       VALUES (:sequence, :position, :id, :accountId, :key, :parameters, :state, ${STATUS}, ${CLAIMABLE_AT})`,
    ),
    finish: prepare(
      database,
      "UPDATE batches SET finished_at = :finishedAt, prunes_at = :prunesAt WHERE sequence = :sequence",
    ),
    updateItem: prepare(
      database,
      `UPDATE batch_items SET parameters = :parameters, state = :state, status = ${STATUS},
         claimable_at = ${CLAIMABLE_AT} WHERE batch = :sequence AND position = :position`,
    ),
    putDelivery: prepare(
      database,
      `INSERT INTO deliveries (batch, account_id, state, claimable_at)
       VALUES (:sequence, :accountId, :state, ${CLAIMABLE_AT})
       ON CONFLICT (batch) DO UPDATE SET state = excluded.state, claimable_at = excluded.claimable_at`,
    ),
  };
}

function prepareKeys(database: DatabaseSync): Pick<BatchStatements, "claimKey" | "findHolder"> {
  return {
    // changes no row if the key is taken
    claimKey: prepare(
      database,
      `INSERT INTO idempotency_keys (account_id, key_hash, digest, expires_at, batch_id)
       VALUES (:accountId, :keyHash, :digest, :expiresAt, :batchId)
       ON CONFLICT (account_id, key_hash) DO UPDATE
         SET digest = excluded.digest, expires_at = excluded.expires_at, batch_id = excluded.batch_id
         WHERE expires_at <= :now
           OR EXISTS (SELECT 1 FROM batches WHERE id = idempotency_keys.batch_id AND prunes_at <= :now)`,
    ),
    findHolder: prepare(
      database,
      `SELECT ${BATCH_COLUMNS}, digest FROM idempotency_keys JOIN batches ON batches.id = batch_id ${WITH_ITEMS}
       WHERE idempotency_keys.account_id = :accountId AND key_hash = :keyHash ORDER BY position`,
    ),
  };
}

/** The state of a batch's delivery. Not joined, so counting reads it only if there is a filter on it. */
const DELIVERY = "(SELECT state FROM deliveries WHERE batch = sequence)";

/**
 * The batches on a page, and all after them. `after` is `NULL` for the first page; if no batch has that id, nothing
 * matches.
 */
const matching = (condition: string): string => `FROM batches
  WHERE ${condition} AND sequence < CASE WHEN :after IS NULL THEN ${Number.MAX_SAFE_INTEGER}
      ELSE (SELECT sequence FROM batches WHERE id = :after) END
    AND (:isFinished IS NULL OR (finished_at IS NOT NULL) = :isFinished)
    AND (:delivery IS NULL OR ${DELIVERY} ->> 'status' = :delivery)`;

/** A batch's item counts by status, as a JSON object. */
const ITEM_COUNTS = `(SELECT json_object(${["queued", "rendering", "done", "failed"]
  .map((status) => `'${status}', count(*) FILTER (WHERE status = '${status}')`)
  .join(", ")}) FROM batch_items WHERE batch_items.batch = sequence)`;

/** @param condition - Selects the account, if any: a condition for both cases could not use an index. */
function preparePages(database: DatabaseSync, condition: string): BatchPages {
  return {
    page: prepare(
      database,
      `SELECT id, account_id AS accountId, token_id AS tokenId, webhook_url AS webhookUrl,
         created_at AS createdAt, finished_at AS finishedAt, prunes_at AS prunesAt,
         ${DELIVERY} AS delivery, ${ITEM_COUNTS} AS items
       ${matching(condition)} ORDER BY sequence DESC LIMIT :limit`,
    ),
    count: prepare(database, `SELECT count(*) AS matched ${matching(condition)}`),
  };
}

function prepareQueues(
  database: DatabaseSync,
): Pick<BatchStatements, "dueItems" | "dueDeliveries" | "prune" | "removeSome" | "stats"> {
  return {
    dueItems: prepare(
      database,
      `${waitingAccounts("batch_items")}
       SELECT item.account_id AS accountId, batches.id AS batchId, item.id AS itemId
       FROM waiting JOIN batch_items AS item ON item.rowid = (
           SELECT rowid FROM batch_items WHERE account_id = waiting.account_id AND claimable_at <= :now
           ORDER BY claimable_at, batch, position LIMIT 1
         ) JOIN batches ON sequence = batch
       WHERE waiting.account_id NOT IN (SELECT value FROM json_each(:exceptAccounts))
       ORDER BY claimable_at, batch LIMIT :limit`,
    ),
    dueDeliveries: prepare(
      database,
      `${waitingAccounts("deliveries")}
       SELECT delivery.account_id AS accountId, batches.id AS batchId
       FROM waiting JOIN deliveries AS delivery ON delivery.batch = (
           SELECT batch FROM deliveries WHERE account_id = waiting.account_id AND claimable_at <= :now
           ORDER BY claimable_at, batch LIMIT 1
         ) JOIN batches ON sequence = batch
       WHERE waiting.account_id NOT IN (SELECT value FROM json_each(:exceptAccounts))
       ORDER BY claimable_at, batch LIMIT :limit`,
    ),
    prune: prepare(
      database,
      `DELETE FROM batches WHERE sequence IN
         (SELECT sequence FROM batches WHERE prunes_at <= :now ORDER BY prunes_at LIMIT :limit)`,
    ),
    removeSome: prepare(
      database,
      `DELETE FROM batches WHERE sequence IN
         (SELECT sequence FROM batches WHERE account_id = :accountId LIMIT :limit)`,
    ),
    stats: prepare(
      database,
      `SELECT count(*) FILTER (WHERE status = 'queued') AS queuedItems,
         count(*) FILTER (WHERE status = 'rendering') AS renderingItems,
         (SELECT min(created_at) FROM batches WHERE finished_at IS NULL) AS oldestCreatedAt,
         (SELECT count(*) FROM deliveries WHERE claimable_at IS NOT NULL) AS openDeliveries
       FROM batch_items WHERE claimable_at IS NOT NULL`,
    ),
  };
}

/**
 * Steps through the index from one waiting account to the next, so one account's long queue costs nothing (a loose
 * index scan, which SQLite does not do itself).
 */
function waitingAccounts(table: "batch_items" | "deliveries"): string {
  return `WITH RECURSIVE waiting (account_id) AS (
      SELECT min(account_id) FROM ${table} WHERE claimable_at IS NOT NULL
      UNION ALL
      SELECT (SELECT min(account_id) FROM ${table}
              WHERE claimable_at IS NOT NULL AND account_id > waiting.account_id)
      FROM waiting WHERE account_id IS NOT NULL
    )`;
}
