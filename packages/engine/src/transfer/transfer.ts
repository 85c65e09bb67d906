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

/** Progress of a move. */
export interface TransferProgress {
  /** Kind of the page stored last. */
  readonly kind: TransferKind;
  /** Records stored so far, including those of earlier attempts. */
  readonly moved: number;
  readonly total: number;
}

export interface TransferRequest {
  readonly source: TransferSource;
  readonly target: TransferTarget;
  /** Called after each page. */
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** The result of a complete move. */
export interface TransferOutcome {
  readonly source: TransferFigures;
  /** Equal to those of the source, read when the move ended. */
  readonly target: TransferFigures;
  /** Records moved by this call. */
  readonly moved: number;
  /** Whether an earlier call had already completed the move. */
  readonly wasFinished: boolean;
}

/**
 * Moves all durable state from one storage to another and compares the two. Call it again to resume an interrupted move;
 * a completed one moves nothing.
 *
 * @throws AdminError if the source has changed since the move began or ended, or if the figures of the two differ at the
 * end; the message names the differences.
 *
 * @example
 * const source = await openSqliteSource({ directory: "./data" });
 * const target = await openPostgresTarget({ url: "postgres://snap@db/snap" });
 * const { moved } = await transfer({ source, target });
 * console.log(`moved ${moved} records`);
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
  const targetFigures = await target.figures();
  requireSame(figures, targetFigures);
  await target.finish(targetFigures);
  return { source: figures, target: targetFigures, moved, wasFinished: false };
}

/** Compares only the source, because the target may have been used since. */
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
 * Returns the ids of the tokens whose signing secrets were sealed with another key than `secretKey`.
 *
 * @throws Error if the key is shorter than 16 characters.
 *
 * @example
 * const source = await openSqliteSource({ directory: "./data" });
 * const ids = await findForeignSecrets(source, process.env.SNAP_SECRET_KEY ?? "");
 */
export async function findForeignSecrets(
  source: TransferSource,
  secretKey: string,
): Promise<readonly number[]> {
  const seal = createSeal(secretKey, systemRandom);
  const foreign: number[] = [];
  let page = await source.read(null);
  // the pages with tokens follow those with accounts and precede all others
  while (page?.kind === "accounts" || page?.kind === "tokens") {
    if (page.kind === "tokens")
      for (const { id, sealedSigningSecret } of page.records)
        if (!succeeds(() => seal.open(sealedSigningSecret))) foreign.push(id);
    page = await source.read(page.next);
  }
  return foreign;
}

function succeeds(work: () => string): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
