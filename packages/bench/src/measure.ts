/** Runs one round of work, and returns its duration in milliseconds. */
export type Round = () => Promise<number>;

export interface Comparison {
  /** Median milliseconds per round. */
  readonly oursMs: number;
  readonly theirsMs: number;
  /** Median of ours / theirs over the pairs; below 1, ours is faster. */
  readonly timeRatio: number;
}

/**
 * Measures two ways in pairs, and swaps the order in each pair, so whatever slows the machine down
 * slows both. The first pair is a warm-up.
 */
export async function compare(ours: Round, theirs: Round, pairs: number): Promise<Comparison> {
  const oursMs: number[] = [];
  const theirsMs: number[] = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const theirsFirstMs = pair % 2 === 0 ? await theirs() : undefined;
    const ourRoundMs = await ours();
    const theirRoundMs = theirsFirstMs ?? (await theirs());
    if (pair === 0) continue;
    oursMs.push(ourRoundMs);
    theirsMs.push(theirRoundMs);
  }
  return { oursMs: median(oursMs), theirsMs: median(theirsMs), timeRatio: medianRatio(oursMs, theirsMs) };
}

/** A round that lasts until the promise resolves. */
export function timed(work: () => Promise<unknown>): Round {
  return async () => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
}

/** Calls `work` `count` times, with at most `concurrency` calls running. */
export async function inParallel(
  count: number,
  concurrency: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Returns `NaN` for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

/** Nearest-rank percentile; `NaN` for an empty list. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? Number.NaN;
}

/** The median ratio of the values that were measured in pairs. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  if (ours.length !== theirs.length)
    throw new Error(`Cannot pair ${ours.length} rounds with ${theirs.length}`);
  return median(ours.map((value, pair) => value / (theirs[pair] ?? Number.NaN)));
}
