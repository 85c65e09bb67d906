import { AdminError } from "../errors.ts";
import { systemRandom } from "../ports/random.ts";
import type {
  TransferTotals,
  TransferKind,
  TransferSource,
  TransferState,
  TransferTarget,
} from "../ports/transfer.ts";
import { decrypts } from "../tokens/check-secret-key.ts";
import { createSeal } from "../tokens/seal.ts";

/** A migration's progress. */
export interface TransferProgress {
  /** Kind of the last stored page. */
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

/** The result of a complete migration. */
export interface TransferOutcome {
  readonly source: TransferTotals;
  /** The target's totals, equal to the source's when the migration ended. */
  readonly target: TransferTotals;
  /** Records moved by this call. */
  readonly moved: number;
  /** Whether an earlier call had already completed the migration. */
  readonly wasFinished: boolean;
}

/**
 * Moves the durable state (`TransferRecords`) from one storage to another and compares the two. Call it again
 * to resume an interrupted migration; after a completed one it moves nothing.
 *
 * @throws AdminError if the source has changed since the migration began; or, with the differences, if its
 * totals have changed since the migration was completed, or the totals of both differ at the end.
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
  const totals = await source.totals();
  const state = await target.begin(source.fingerprint);
  if (state.finished !== null) return confirmFinished(totals, state.finished);
  if (state.fingerprint !== source.fingerprint)
    throw new AdminError(
      "the source has changed since the migration into this target began, or is a different one; empty the target and start again",
    );
  const moved = await moveRecords({ source, target, onProgress }, { state, total: countOf(totals) });
  await target.continueTokenIds(totals.lastTokenId);
  const targetTotals = await target.totals();
  requireSame(totals, targetTotals);
  await target.finish(targetTotals);
  return { source: totals, target: targetTotals, moved, wasFinished: false };
}

/** Compares only the source, because the target may have been used since then. */
function confirmFinished(totals: TransferTotals, finished: TransferTotals): TransferOutcome {
  const differences = describeDifferences(totals, { totals: finished, context: "when it was moved" });
  if (differences.length === 0) return { source: totals, target: finished, moved: 0, wasFinished: true };
  throw new AdminError(
    `the source has changed since the migration was completed, or is a different one; new records cannot be added: ${differences.join("; ")}`,
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

function countOf(totals: TransferTotals): number {
  const { accounts, tokens, balances, reservations, journalLines, batches, idempotencyKeys, documents } =
    totals;
  return accounts + tokens + balances + reservations + journalLines + batches + idempotencyKeys + documents;
}

function requireSame(source: TransferTotals, target: TransferTotals): void {
  const differences = describeDifferences(source, { totals: target, context: "in the target" });
  if (differences.length > 0)
    throw new AdminError(`the target does not match the source: ${differences.join("; ")}`);
}

function describeDifferences(
  source: TransferTotals,
  { totals, context }: { readonly totals: TransferTotals; readonly context: string },
): string[] {
  return (Object.keys(source) as (keyof TransferTotals)[])
    .filter((name) => source[name] !== totals[name])
    .map((name) => `${name} ${source[name]} in the source, ${totals[name]} ${context}`);
}

/**
 * Returns the ids of the tokens whose signing secrets were sealed with a key other than `secretKey`.
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
  const foreignIds: number[] = [];
  let page = await source.read(null);
  // pages with tokens follow those with accounts and precede all others
  while (page?.kind === "accounts" || page?.kind === "tokens") {
    if (page.kind === "tokens")
      foreignIds.push(...page.records.filter((token) => !decrypts(seal, token)).map(({ id }) => id));
    page = await source.read(page.next);
  }
  return foreignIds;
}
