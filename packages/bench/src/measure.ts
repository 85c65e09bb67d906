/** Runs one round of work, and returns its duration in milliseconds. */
export type Round = () => Promise<number>;

export interface Comparison {
  /** Median milliseconds per round. */
  readonly measuredMs: number;
  readonly baselineMs: number;
  /** Median of measured / baseline across the pairs; below 1, the measured way is faster. */
  readonly timeRatio: number;
}

/**
 * Measures two ways in pairs, and swaps the order in each pair, so whatever slows the machine down
 * slows both. The first pair is a warm-up.
 */
export async function compare(measured: Round, baseline: Round, pairs: number): Promise<Comparison> {
  const measuredMs: number[] = [];
  const baselineMs: number[] = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const baselineFirstMs = pair % 2 === 0 ? await baseline() : undefined;
    const measuredRoundMs = await measured();
    const baselineRoundMs = baselineFirstMs ?? (await baseline());
    if (pair === 0) continue;
    measuredMs.push(measuredRoundMs);
    baselineMs.push(baselineRoundMs);
  }
  return {
    measuredMs: median(measuredMs),
    baselineMs: median(baselineMs),
    timeRatio: medianRatio(measuredMs, baselineMs),
  };
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
export function medianRatio(measured: readonly number[], baseline: readonly number[]): number {
  if (measured.length !== baseline.length)
    throw new Error(`Cannot pair ${measured.length} rounds with ${baseline.length}`);
  return median(measured.map((value, pair) => value / (baseline[pair] ?? Number.NaN)));
}
