import { AdminError } from "../errors.ts";
import { systemRandom } from "../ports/random.ts";
import type {
  TransferFigures,
  TransferKind,
  TransferSource,
  TransferState,
  TransferTarget,
} from "../ports/transfer.ts";
import { createSeal } from "../tokens/seal.ts";

/** How far a move is. */
export interface TransferProgress {
  /** What was stored last. */
  readonly kind: TransferKind;
  /** Records that have arrived, in earlier attempts too. */
  readonly moved: number;
  readonly total: number;
}

export interface TransferRequest {
  readonly source: TransferSource;
  readonly target: TransferTarget;
  /** Told after each page. */
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** A move that is complete. */
export interface TransferOutcome {
  readonly source: TransferFigures;
  /** As it was found when the move ended; the same. */
  readonly target: TransferFigures;
  /** Records that this call moved. */
  readonly moved: number;
  /** Whether the move had ended before; then there was nothing to do. */
  readonly wasFinished: boolean;
}

/**
 * Moves everything durable from one storage to another, and compares both. A move that was interrupted,
 * wherever it was, goes on there when this is called again; one that has ended adds nothing.
 *
 * @throws AdminError when the source has changed since the move began or ended, and when figures of the two
 * differ at the end; the message says which.
 *
 * @example
 * const source = await openSqliteSource({ directory: "./data" });
 * const target = await openPostgresTarget({ url: "postgres://snap@db/snap" });
 * const { moved } = await transfer({ source, target });
 * console.log(`${moved} records have moved`);
 */
export async function transfer({
  source,
  target,
  onProgress = () => {},
}: TransferRequest): Promise<TransferOutcome> {
  const figures = await source.figures();
  const state = await target.begin(source.mark);
  if (state.finished !== null) return confirmFinished(figures, state.finished);
  if (state.mark !== source.mark)
    throw new AdminError(
      "the source has changed, or is a different one, since the move into this target began; empty the target and start again",
    );
  const moved = await moveRecords({ source, target, onProgress }, { state, total: countOf(figures) });
  await target.continueTokenIds(figures.lastTokenId);
  const arrived = await target.figures();
  requireSame(figures, arrived);
  await target.finish(arrived);
  return { source: figures, target: arrived, moved, wasFinished: false };
}

/** The target may have been used since, so that only the source can still be compared. */
function confirmFinished(figures: TransferFigures, finished: TransferFigures): TransferOutcome {
  const differences = describeDifferences(figures, { figures: finished, place: "when it was moved" });
  if (differences.length === 0) return { source: figures, target: finished, moved: 0, wasFinished: true };
  throw new AdminError(
    `the source has changed, or is a different one, since the move was completed; new records cannot be added: ${differences.join("; ")}`,
  );
}

async function moveRecords(
  { source, target, onProgress }: Required<TransferRequest>,
  { state, total }: { readonly state: TransferState; readonly total: number },
): Promise<number> {
  let { position, moved } = state;
  for (;;) {
    const page = await source.read(position);
    if (page === null) return moved - state.moved;
    await target.write({ position, page });
    position = page.next;
    moved += page.records.length;
    onProgress({ kind: page.kind, moved, total });
  }
}

function countOf(figures: TransferFigures): number {
  const { accounts, tokens, balances, reservations, journalLines, batches } = figures;
  return accounts + tokens + balances + reservations + journalLines + batches;
}

function requireSame(source: TransferFigures, target: TransferFigures): void {
  const differences = describeDifferences(source, { figures: target, place: "in the target" });
  if (differences.length > 0)
    throw new AdminError(`the target does not match the source: ${differences.join("; ")}`);
}

function describeDifferences(
  source: TransferFigures,
  { figures, place }: { readonly figures: TransferFigures; readonly place: string },
): string[] {
  return (Object.keys(source) as (keyof TransferFigures)[])
    .filter((name) => source[name] !== figures[name])
    .map((name) => `${name} ${source[name]} in the source, ${figures[name]} ${place}`);
}

/**
 * The ids of the tokens in a source whose signing secrets `secretKey` can't open, as they were sealed
 * under another key.
 *
 * @throws Error when the key is shorter than 16 characters.
 *
 * @example
 * const source = await openSqliteSource({ directory: "./data" });
 * const ids = await findForeignSeals(source, process.env.SNAP_SECRET_KEY ?? "");
 */
export async function findForeignSeals(
  source: TransferSource,
  secretKey: string,
): Promise<readonly number[]> {
  const seal = createSeal(secretKey, systemRandom);
  const foreign: number[] = [];
  let page = await source.read(null);
  // Tokens come behind the accounts and before all else.
  while (page?.kind === "accounts" || page?.kind === "tokens") {
    if (page.kind === "tokens")
      for (const { id, sealedSigningSecret } of page.records)
        if (!opens(() => seal.open(sealedSigningSecret))) foreign.push(id);
    page = await source.read(page.next);
  }
  return foreign;
}

function opens(open: () => string): boolean {
  try {
    open();
    return true;
  } catch {
    return false;
  }
}
