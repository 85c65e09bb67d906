import type { Storage, TransferTotals, TransferTarget } from "@snap/engine/ports";
import { openDatabase, type Query } from "../database.ts";
import { pinKeyFingerprint, replaceKeyFingerprint, type KeyPin } from "../key-fingerprint.ts";
import { migrate } from "../migrate.ts";
import { detectPooler } from "../pooler.ts";
import { createAuditStore } from "../stores/audit.ts";
import { insertPage } from "./insert-page.ts";
import { advanceMove, beginMove, finishMove, lockMove, requireMovable } from "./moves.ts";

/** Sums over a long journal take minutes. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

/** Without it, the planner would assume that the tables are empty. */
const ANALYZE = `ANALYZE snap.accounts, snap.tokens, snap.balances, snap.reservations, snap.journal, snap.batches,
  snap.batch_items, snap.deliveries, snap.idempotency_keys, snap.documents, snap.document_files`;

const TOTALS = `SELECT
    (SELECT count(*) FROM snap.accounts) AS accounts,
    (SELECT count(*) FROM snap.tokens) AS tokens,
    (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM snap.tokens_id_seq) AS "lastTokenId",
    balance.*, reservation.*, journal.*,
    (SELECT count(*) FROM snap.batches) AS batches,
    (SELECT count(*) FROM snap.idempotency_keys) AS "idempotencyKeys",
    item.*, delivery.*, document.*
  FROM
    (SELECT count(*) AS balances, ${sumOf("granted")} AS granted, ${sumOf("used")} AS used,
      ${sumOf("reserved")} AS reserved FROM snap.balances) AS balance,
    (SELECT count(*) AS reservations, count(*) FILTER (WHERE state = 'open') AS "openReservations"
     FROM snap.reservations) AS reservation,
    (SELECT count(*) AS "journalLines", ${creditsOf("grant")} AS "journalGranted",
      ${creditsOf("reserve")} AS "journalReserved", ${creditsOf("settle")} AS "journalSettled",
      ${creditsOf("refund")} AS "journalRefunded", ${creditsOf("lapse")} AS "journalLapsed",
      ${creditsOf("reverse")} AS "journalReversed"
     FROM snap.journal) AS journal,
    (SELECT count(*) AS "batchItems", count(*) FILTER (WHERE claimable_at IS NOT NULL) AS "unfinishedItems"
     FROM snap.batch_items) AS item,
    (SELECT count(*) AS deliveries, count(*) FILTER (WHERE claimable_at IS NOT NULL) AS "openDeliveries"
     FROM snap.deliveries) AS delivery,
    (SELECT count(*) AS documents, ${sumOf("bytes")} AS "documentBytes" FROM snap.documents) AS document`;

export interface PostgresTarget extends TransferTarget, KeyPin, Pick<Storage, "audit"> {}

/**
 * Opens a database to move another storage into it, with `transfer` from `@snap/engine`; creates the schema if needed.
 * The database stores the progress of the data migration, and `openPostgresStorage` rejects it until the migration is
 * finished.
 *
 * @throws Error if the server is unreachable or rejects the connection, if the schema is from a newer or older release,
 * or if the database already contains data, and no data migration into it has begun.
 *
 * @example
 * const target = await openPostgresTarget({ url: "postgres://snap@db/snap" });
 * await transfer({ source: await openSqliteSource({ directory: "./data" }), target });
 * await target.close();
 */
export async function openPostgresTarget({
  url,
}: {
  /** In the form `postgres://user:password@host:port/database`. The role needs the right to create schemas. */
  readonly url: string;
}): Promise<PostgresTarget> {
  const database = openDatabase({
    url,
    isPooled: (await detectPooler(url)) !== null,
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    // the next statement reconnects
    onBackgroundError: () => {},
  });
  try {
    await migrate(database, {
      beforeCreation: () => {},
      beforeMigration: ({ from, to }) => {
        throw new Error(
          `the database has schema version ${from}, not ${to}; first run \`snap-server database upgrade\`, or open it with openPostgresStorage`,
        );
      },
    });
    await requireMovable(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    begin: (fingerprint) => database.transaction((inTransaction) => beginMove(inTransaction, fingerprint)),
    write: ({ position, page }) =>
      database.transaction(async (inTransaction, isRepeated) => {
        const current = await lockMove(inTransaction);
        // the first transaction had committed when its connection was lost
        if (isRepeated && current === page.next) return;
        if (current !== position) throw new Error("another data migration into this database is in progress");
        await insertPage(inTransaction, page);
        await advanceMove(inTransaction, { next: page.next, records: page.records.length });
      }),
    async continueTokenIds(lastTokenId) {
      await database.query("SELECT setval('snap.tokens_id_seq', greatest($1::BIGINT, 1), $1 > 0)", [
        lastTokenId,
      ]);
    },
    // in transactions, which keep their own time limit even if the role has a shorter one
    totals: () => database.transaction(readTotals),
    finish: (totals) =>
      database.transaction(async (inTransaction) => {
        await inTransaction(ANALYZE);
        await finishMove(inTransaction, totals);
      }),
    pinKeyFingerprint: (fingerprint) => pinKeyFingerprint(database, fingerprint),
    replaceKeyFingerprint: (fingerprint) => replaceKeyFingerprint(database, fingerprint),
    audit: createAuditStore(database),
    close: () => database.close(),
  };
}

async function readTotals(query: Query): Promise<TransferTotals> {
  // an aggregate always returns a row
  const [totals] = (await query<TransferTotals>(TOTALS)) as [TransferTotals];
  return totals;
}

function creditsOf(kind: string): string {
  return sumOf("credits", ` FILTER (WHERE kind = '${kind}')`);
}

/** Cast to BIGINT, because PostgreSQL sums are wider than their operands. */
function sumOf(column: string, filter = ""): string {
  return `coalesce(sum(${column})${filter}, 0)::BIGINT`;
}
