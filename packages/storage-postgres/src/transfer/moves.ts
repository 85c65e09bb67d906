import type { TransferFigures, TransferState } from "@snap/engine/ports";
import type { Query } from "../database.ts";

/** A move as it is kept: the figures are JSON. */
interface MoveRow extends Omit<TransferState, "finished"> {
  readonly figures: string | null;
}

/** Inside a transaction: the move that there is, or a new one. */
export async function beginMove(query: Query, mark: string): Promise<TransferState> {
  // Of two that begin at once the second finds the move of the first.
  await query("LOCK TABLE snap.moves IN EXCLUSIVE MODE");
  const [row] = await query<MoveRow>("SELECT mark, position, moved, figures FROM snap.moves");
  if (row !== undefined) return toState(row);
  await requireEmpty(query);
  await query("INSERT INTO snap.moves (mark) VALUES ($1)", [mark]);
  return { mark, position: null, moved: 0, finished: null };
}

/** Inside a transaction: holds the move, and answers where its next page begins. */
export async function holdMove(query: Query): Promise<string | null> {
  const [row] = await query<Pick<MoveRow, "position">>(
    "SELECT position FROM snap.moves WHERE finished_at IS NULL FOR UPDATE",
  );
  if (row === undefined) throw new Error("there is no move into this database that is under way");
  return row.position;
}

/** Inside a transaction that holds it. */
export async function advanceMove(
  query: Query,
  { next, records }: { readonly next: string; readonly records: number },
): Promise<void> {
  await query("UPDATE snap.moves SET position = $1, moved = moved + $2", [next, records]);
}

export async function finishMove(query: Query, figures: TransferFigures): Promise<void> {
  await query("UPDATE snap.moves SET finished_at = now(), figures = $1", [JSON.stringify(figures)]);
}

/** @throws Error while a part of what belongs into the database hasn't arrived. */
export async function requireNoOpenMove({ query }: { readonly query: Query }): Promise<void> {
  const rows = await query("SELECT 1 FROM snap.moves WHERE finished_at IS NULL");
  if (rows.length > 0)
    throw new Error("a move into this database has not ended: let snap-server migrate finish it first");
}

async function requireEmpty(query: Query): Promise<void> {
  const [row] = await query<{ accounts: number; isUsed: boolean }>(
    `SELECT (SELECT count(*) FROM snap.accounts) AS accounts,
       EXISTS (SELECT 1 FROM snap.accounts) OR EXISTS (SELECT 1 FROM snap.balances)
         OR EXISTS (SELECT 1 FROM snap.journal) OR EXISTS (SELECT 1 FROM snap.batches) AS "isUsed"`,
  );
  if (row?.isUsed)
    throw new Error(
      `the database is in use already, with ${row.accounts} accounts of its own: take an empty one`,
    );
}

function toState({ figures, ...state }: MoveRow): TransferState {
  return { ...state, finished: figures === null ? null : toFigures(figures) };
}

/** A move that finished under an older release has no figure for reversals. */
function toFigures(text: string): TransferFigures {
  return { journalReversed: 0, ...(JSON.parse(text) as Omit<TransferFigures, "journalReversed">) };
}
