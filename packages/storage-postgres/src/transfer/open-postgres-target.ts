import type { TransferFigures, TransferTarget } from "@snap/engine/ports";
import { openDatabase, type Query } from "../database.ts";
import { claimKeyMark, type KeyMarked } from "../key-mark.ts";
import { migrate } from "../migrate.ts";
import { insertPage } from "./insert-page.ts";
import { advanceMove, beginMove, finishMove, holdMove } from "./moves.ts";

/** Sums over the whole journal take as long as it is. */
const STATEMENT_TIMEOUT_MS = 10 * 60_000;

/** Its tables were empty when the planner last looked. */
const ANALYZE = `ANALYZE snap.accounts, snap.tokens, snap.balances, snap.reservations, snap.journal, snap.batches,
  snap.batch_items, snap.deliveries`;

const FIGURES = `SELECT
    (SELECT count(*) FROM snap.accounts) AS accounts,
    (SELECT count(*) FROM snap.tokens) AS tokens,
    (SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM snap.tokens_id_seq) AS "lastTokenId",
    balance.*, reservation.*, journal.*,
    (SELECT count(*) FROM snap.batches) AS batches,
    item.*, delivery.*
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
     FROM snap.deliveries) AS delivery`;

export interface PostgresTarget extends TransferTarget, KeyMarked {}

/**
 * Opens a database to move another storage into, with `transfer` of `@snap/engine`; its schema is made where
 * there is none. How far the move is stands in the database itself, and `openPostgresStorage` refuses it until
 * the move is finished.
 *
 * @throws Error when the server can't be reached, refuses, or holds the schema of a newer release.
 *
 * @example
 * const target = await openPostgresTarget({ url: "postgres://snap@db/snap" });
 * await transfer({ source: await openSqliteSource({ directory: "./data" }), target });
 * await target.close();
 */
export async function openPostgresTarget({
  url,
}: {
  /** As `postgres://user:password@host:port/database`. The role may make schemas in it. */
  readonly url: string;
}): Promise<PostgresTarget> {
  const database = openDatabase({
    url,
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    // Whoever needs the connection next makes a new one.
    onBackgroundError: () => {},
  });
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    begin: (mark) => database.transaction((within) => beginMove(within, mark)),
    write: ({ position, page }) =>
      database.transaction(async (within, isRepeated) => {
        const held = await holdMove(within);
        // The connection was lost in the commit of the first time, which had been written.
        if (isRepeated && held === page.next) return;
        if (held !== position) throw new Error("another move into this database is under way");
        await insertPage(within, page);
        await advanceMove(within, { next: page.next, records: page.records.length });
      }),
    async continueTokenIds(lastTokenId) {
      await database.query("SELECT setval('snap.tokens_id_seq', greatest($1::BIGINT, 1), $1 > 0)", [
        lastTokenId,
      ]);
    },
    figures: () => readFigures(database.query),
    async finish(figures) {
      await database.query(ANALYZE);
      await finishMove(database.query, figures);
    },
    claimKeyMark: (mark) => claimKeyMark(database, mark),
    close: () => database.close(),
  };
}

async function readFigures(query: Query): Promise<TransferFigures> {
  // An aggregate always answers its row.
  const [figures] = (await query<TransferFigures>(FIGURES)) as [TransferFigures];
  return figures;
}

function creditsOf(kind: string): string {
  return sumOf("credits", ` FILTER (WHERE kind = '${kind}')`);
}

/** Sums are wider than what they are of, unless told otherwise. */
function sumOf(column: string, filter = ""): string {
  return `coalesce(sum(${column})${filter}, 0)::BIGINT`;
}
