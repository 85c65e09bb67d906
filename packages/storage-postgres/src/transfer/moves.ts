import type { TransferTotals, TransferState } from "@snap/engine/ports";
import type { Query } from "../database.ts";

/** A data migration as stored: the totals are JSON text. */
interface MoveRow extends Omit<TransferState, "finished"> {
  readonly totals: string | null;
}

/** Returns the existing data migration, or starts one. Requires a transaction. */
export async function beginMove(query: Query, fingerprint: string): Promise<TransferState> {
  // of two concurrent calls, the second finds the migration that the first began
  await query("LOCK TABLE snap.moves IN EXCLUSIVE MODE");
  const [row] = await query<MoveRow>(
    "SELECT mark AS fingerprint, position, moved, figures AS totals FROM snap.moves",
  );
  if (row !== undefined) return toState(row);
  await requireEmpty(query);
  await query("INSERT INTO snap.moves (mark) VALUES ($1)", [fingerprint]);
  return { fingerprint, position: null, moved: 0, finished: null };
}

/** Locks the data migration, and returns the position of its next page. Requires a transaction. */
export async function lockMove(query: Query): Promise<string | null> {
  const [row] = await query<Pick<MoveRow, "position">>(
    "SELECT position FROM snap.moves WHERE finished_at IS NULL FOR UPDATE",
  );
  if (row === undefined) throw new Error("no data migration into this database is in progress");
  return row.position;
}

/** Requires a transaction that has locked the data migration. */
export async function advanceMove(
  query: Query,
  { next, records }: { readonly next: string; readonly records: number },
): Promise<void> {
  await query("UPDATE snap.moves SET position = $1, moved = moved + $2", [next, records]);
}

export async function finishMove(query: Query, totals: TransferTotals): Promise<void> {
  await query("UPDATE snap.moves SET finished_at = now(), figures = $1", [JSON.stringify(totals)]);
}

/** @throws Error while a data migration into the database is unfinished. */
export async function requireNoOpenMove({ query }: { readonly query: Query }): Promise<void> {
  const rows = await query("SELECT 1 FROM snap.moves WHERE finished_at IS NULL");
  if (rows.length > 0)
    throw new Error(
      "a data migration into this database is unfinished; run snap-server migrate to finish it",
    );
}

/** @throws Error if the database contains data, and no data migration into it has begun. */
export async function requireMovable({ query }: { readonly query: Query }): Promise<void> {
  const moves = await query("SELECT 1 FROM snap.moves");
  if (moves.length === 0) await requireEmpty(query);
}

async function requireEmpty(query: Query): Promise<void> {
  const [row] = await query<{ accounts: number; hasData: boolean }>(
    `SELECT (SELECT count(*) FROM snap.accounts) AS accounts,
       EXISTS (SELECT 1 FROM snap.accounts) OR EXISTS (SELECT 1 FROM snap.balances)
         OR EXISTS (SELECT 1 FROM snap.journal) OR EXISTS (SELECT 1 FROM snap.batches) AS "hasData"`,
  );
  if (!row?.hasData) return;
  const accounts = row.accounts === 1 ? "1 account" : `${row.accounts} accounts`;
  throw new Error(`the database already contains data (${accounts}); use an empty one`);
}

function toState({ totals, ...state }: MoveRow): TransferState {
  return { ...state, finished: totals === null ? null : toTotals(totals) };
}

/** Data migrations that older releases finished can lack totals of reversals, documents and idempotency keys. */
function toTotals(text: string): TransferTotals {
  const later = { journalReversed: 0, documents: 0, documentBytes: 0, idempotencyKeys: 0 };
  return { ...later, ...(JSON.parse(text) as Omit<TransferTotals, keyof typeof later>) };
}
