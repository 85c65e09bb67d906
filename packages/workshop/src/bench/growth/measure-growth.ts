import { compare, timed, type Round } from "../compare.ts";
import { rounded } from "../report/table.ts";
import type { Bench, Findings } from "../scenario.ts";

/** Prime, and far from a divisor of any count: the steps come by everything, in no order. */
const STRIDE = 7_368_787;

/** Something whose cost must not follow how much is stored. */
export interface Grown {
  readonly name: string;
  /** What there is little or much of. */
  readonly stored: string;
  readonly few: number;
  readonly many: number;
  readonly manyWhenQuick: number;
  readonly opsPerRound: number;
}

/** A storage that holds so much. */
export interface Filled {
  /** `index` is a different one each time, anywhere among what is stored. */
  readonly operation: (index: number) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** The cost of an operation of each beside much, over its cost beside little. */
export async function measureGrowth<T extends Grown>(
  bench: Bench,
  subjects: readonly T[],
  open: (subject: T, count: number) => Promise<Filled>,
): Promise<Findings> {
  const rows: string[][] = [];
  const figures = [];
  for (const subject of subjects) {
    const { name, stored, few, opsPerRound } = subject;
    const many = bench.quick ? subject.manyWhenQuick : subject.many;
    bench.say(`storing ${many} ${stored}`);
    const large = await open(subject, many);
    const small = await open(subject, few);
    bench.say(name);
    const { oursMs, theirsMs, timeRatio } = await compare(
      roundOf(large, { count: many, opsPerRound }),
      roundOf(small, { count: few, opsPerRound }),
      bench.quick ? 3 : 8,
    );
    await large.remove();
    await small.remove();
    figures.push({
      name: `${name}, with ${amount(many)} ${stored} over ${amount(few)}`,
      value: timeRatio,
      target: { atMost: 1.2 },
    });
    rows.push([
      name,
      stored,
      `${rounded((theirsMs * 1000) / opsPerRound)} (${amount(few)})`,
      `${rounded((oursMs * 1000) / opsPerRound)} (${amount(many)})`,
      rounded(timeRatio),
    ]);
  }
  return {
    figures,
    tables: [{ columns: ["operation", "stored", "µs with few", "µs with many", "ratio"], rows }],
  };
}

function roundOf(
  { operation }: Filled,
  { count, opsPerRound }: { readonly count: number; readonly opsPerRound: number },
): Round {
  let step = 0;
  return timed(async () => {
    for (let op = 0; op < opsPerRound; op += 1) await operation((step++ * STRIDE) % count);
  });
}

function amount(count: number): string {
  return count.toLocaleString("en-US");
}
