import { inParallel } from "./compare.ts";
import { metered } from "./meter.ts";
import { megabytes, rounded, type Table } from "./report/table.ts";
import { startServerWay } from "./service.ts";
import type { Bench } from "./scenario.ts";
import { median, medianRatio, percentile } from "./statistics.ts";
import { startWay } from "./ways/start-way.ts";
import type { RenderJob, Way } from "./ways/way.ts";

/** As the tables call them. */
const TITLES: Readonly<Record<string, string>> = {
  raw: "raw protocol calls",
  "launch-per-request": "puppeteer, a browser per request",
  cluster: "puppeteer-cluster, a context per render",
  "capture-website": "capture-website",
  engine: "snap: engine alone",
  server: "snap: whole server over HTTP",
};

const WARM_UP = { renders: 4, atOnce: 4 } as const;

export interface Load {
  readonly job: () => RenderJob;
  readonly atOnce: number;
  readonly rendersPerRound: number;
  readonly rounds: number;
}

export interface WayResult {
  readonly name: string;
  readonly latenciesMs: readonly number[];
  /** One for each round, as are the next. */
  readonly perSecond: readonly number[];
  readonly cpuSecondsEach: readonly number[];
  readonly peakBytes: readonly number[];
}

export interface StartedWays {
  readonly ways: readonly Way[];
  /** Those that could not be started, or not render once, and why. */
  readonly remarks: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Starts them and has each render a few at once, to warm up; what can't is told, not thrown. */
export async function startWays(
  bench: Bench,
  names: readonly string[],
  job: () => RenderJob,
): Promise<StartedWays> {
  const ways: Way[] = [];
  const remarks: string[] = [];
  for (const name of names) {
    try {
      const way = name === "server" ? await startServerWay(bench) : await startWay(name, bench);
      ways.push(way);
      await inParallel(WARM_UP.renders, WARM_UP.atOnce, () => way.render(job()));
    } catch (error) {
      if (ways.at(-1)?.name === name) await ways.pop()?.stop();
      remarks.push(`Did not run: ${TITLES[name]}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return {
    ways,
    remarks,
    async stop() {
      await Promise.all(ways.map((way) => way.stop()));
    },
  };
}

/** Round by round, all ways in each, another one first every time. */
export async function measureInTurns(ways: readonly Way[], load: Load): Promise<WayResult[]> {
  const results = ways.map(({ name }) => ({
    name,
    latenciesMs: [] as number[],
    perSecond: [] as number[],
    cpuSecondsEach: [] as number[],
    peakBytes: [] as number[],
  }));
  for (let round = 0; round < load.rounds; round += 1) {
    for (let turn = 0; turn < ways.length; turn += 1) {
      const index = (round + turn) % ways.length;
      const way = ways[index];
      const result = results[index];
      if (way === undefined || result === undefined) continue;
      const measured = await measureRound(way, load);
      result.latenciesMs.push(...measured.latenciesMs);
      result.perSecond.push((load.rendersPerRound * 1000) / measured.wallMs);
      result.cpuSecondsEach.push(measured.cpuSeconds / load.rendersPerRound);
      result.peakBytes.push(measured.peakBytes);
    }
  }
  return results;
}

async function measureRound(
  way: Way,
  { job, atOnce, rendersPerRound }: Load,
): Promise<Awaited<ReturnType<typeof metered>> & { readonly latenciesMs: readonly number[] }> {
  const latenciesMs: number[] = [];
  const reading = await metered(way.pid, () =>
    inParallel(rendersPerRound, atOnce, async () => {
      const startedMs = performance.now();
      await way.render(job());
      latenciesMs.push(performance.now() - startedMs);
    }),
  );
  return { ...reading, latenciesMs };
}

/** Renders per second of one way over those of another; `NaN` when one of them did not run. */
export function speedRatio(results: readonly WayResult[], ours: string, theirs: string): number {
  const [left, right] = [ours, theirs].map((name) => results.find((result) => result.name === name));
  return left === undefined || right === undefined
    ? Number.NaN
    : medianRatio(left.perSecond, right.perSecond);
}

export const WAY_COLUMNS = [
  "way",
  "renders/s",
  "median ms",
  "p95 ms",
  "CPU s each",
  "peak MB",
] as const satisfies Table["columns"];

export function wayCells({ name, latenciesMs, perSecond, cpuSecondsEach, peakBytes }: WayResult): string[] {
  return [
    TITLES[name] ?? name,
    rounded(median(perSecond)),
    rounded(median(latenciesMs)),
    rounded(percentile(latenciesMs, 0.95)),
    rounded(median(cpuSecondsEach)),
    megabytes(Math.max(...peakBytes)),
  ];
}
