/** Runs one round of work to its end and returns its milliseconds. */
export type Round = () => Promise<number>;

export interface Comparison {
  /** Median milliseconds of a round of each. */
  readonly oursMs: number;
  readonly theirsMs: number;
  /** Median over the pairs of ours / theirs: below 1, ours is the faster. */
  readonly timeRatio: number;
}

/**
 * Measures two ways side by side: pair by pair, each first in every other pair, so that what slows the
 * machine down slows both. The first pair only warms up.
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

/** A round that takes as long as its promise. */
export function timed(work: () => Promise<unknown>): Round {
  return async () => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
}

/** Does `count` pieces of work, at most `atOnce` at a time. */
export async function inParallel(
  count: number,
  atOnce: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** `NaN` of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

/** The least value that `fraction` of all values don't exceed (nearest rank); `NaN` of none. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] ?? Number.NaN;
}

/** The median of the ratios of what was measured side by side, pair by pair. */
export function medianRatio(ours: readonly number[], theirs: readonly number[]): number {
  if (ours.length !== theirs.length) throw new Error(`${ours.length} rounds against ${theirs.length}`);
  return median(ours.map((value, pair) => value / (theirs[pair] ?? Number.NaN)));
}
