/** Runs one round of work to its end, and tells how many milliseconds it took. */
export type Round = () => Promise<number>;

export interface Comparison {
  /** Median milliseconds of a round of each. */
  readonly oursMs: number;
  readonly theirsMs: number;
  /** Median over the pairs of theirs / ours: above 1, ours is the faster. */
  readonly speedRatio: number;
}

/**
 * Measures two ways side by side: pair by pair, each first in every other pair, so that what slows the
 * machine down slows both. The first pair only warms up.
 */
export async function compare(ours: Round, theirs: Round, pairs: number): Promise<Comparison> {
  const timings: { oursMs: number; theirsMs: number }[] = [];
  for (let pair = 0; pair <= pairs; pair += 1) {
    const theirsFirstMs = pair % 2 === 0 ? await theirs() : undefined;
    const oursMs = await ours();
    const theirsMs = theirsFirstMs ?? (await theirs());
    if (pair > 0) timings.push({ oursMs, theirsMs });
  }
  return {
    oursMs: median(timings.map(({ oursMs }) => oursMs)),
    theirsMs: median(timings.map(({ theirsMs }) => theirsMs)),
    speedRatio: median(timings.map(({ oursMs, theirsMs }) => theirsMs / oursMs)),
  };
}

/** A round of work that takes as long as the promise of it. */
export function timed(work: () => Promise<unknown>): Round {
  return async () => {
    const startedMs = performance.now();
    await work();
    return performance.now() - startedMs;
  };
}

/** Does `count` pieces of work, never more than `atOnce` at a time. */
export async function inParallel(count: number, atOnce: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = low] =
    sorted.length % 2 === 0 ? sorted.slice(middle - 1) : sorted.slice(middle);
  return sorted.length % 2 === 0 ? (low + high) / 2 : low;
}
