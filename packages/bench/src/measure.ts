import { setTimeout as sleep } from "node:timers/promises";

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
 * Measures each side once per round, and reverses their order in every other round, so whatever slows the machine down
 * slows all of them.
 */
export async function runInRounds<T>(
  rounds: number,
  sides: readonly T[],
  measure: (side: T, round: number) => Promise<unknown>,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await measure(side, round);
}

/** Measures two ways in pairs. The first pair is a warm-up. */
export async function compare(measured: Round, baseline: Round, pairs: number): Promise<Comparison> {
  const [baselineMs, measuredMs]: [number[], number[]] = [[], []];
  const sides = [
    { way: baseline, timesMs: baselineMs },
    { way: measured, timesMs: measuredMs },
  ];
  await runInRounds(pairs + 1, sides, async ({ way, timesMs }, pair) => {
    const roundMs = await way();
    if (pair > 0) timesMs.push(roundMs);
  });
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
export async function runInParallel(
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

/** Calls `send` at a constant rate, whether or not earlier calls have finished. Returns after the last call. */
export async function runOnSchedule(
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
  send: (index: number) => unknown,
): Promise<void> {
  const startedMs = performance.now();
  for (let index = 0; index < Math.round(perSecond * seconds); index += 1) {
    const dueInMs = startedMs + (index * 1000) / perSecond - performance.now();
    if (dueInMs > 0) await sleep(dueInMs);
    send(index);
  }
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
