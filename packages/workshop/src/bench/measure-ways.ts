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
  "raw-fast": "raw calls: fast PNGs, closed behind the answer",
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
  readonly fileBytes: readonly number[];
  /** Why it has no figures: a render of it failed. */
  readonly failure: string | null;
}

export interface StartedWays {
  readonly ways: readonly Way[];
  /** Those that could not be started, or not render once, and why. */
  readonly remarks: readonly string[];
  readonly stop: () => Promise<void>;
}

/** What a reader should know of those that failed. */
export function failuresOf(results: readonly WayResult[]): string[] {
  return results.flatMap(({ name, failure }) =>
    failure === null ? [] : [`${TITLES[name] ?? name}: ${failure}`],
  );
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

/** Whose failure ends the whole run. */
const OURS: ReadonlySet<string> = new Set(["engine", "server"]);

interface Tally extends WayResult {
  readonly latenciesMs: number[];
  readonly perSecond: number[];
  readonly cpuSecondsEach: number[];
  readonly peakBytes: number[];
  readonly fileBytes: number[];
  failure: string | null;
}

/** Round by round, all ways in each, in an order that is turned round every time. */
export async function measureInTurns(ways: readonly Way[], load: Load): Promise<readonly WayResult[]> {
  const turns = ways.map((way) => ({ way, tally: newTally(way.name) }));
  for (let round = 0; round < load.rounds; round += 1) {
    for (const { way, tally } of round % 2 === 0 ? turns : turns.toReversed()) {
      if (tally.failure !== null) continue;
      try {
        await measureRound(way, load, tally);
      } catch (error) {
        if (OURS.has(way.name)) throw error;
        tally.failure = error instanceof Error ? error.message : String(error);
      }
    }
  }
  return turns.map(({ tally }) => tally);
}

function newTally(name: string): Tally {
  const empty = { latenciesMs: [], perSecond: [], cpuSecondsEach: [], peakBytes: [], fileBytes: [] };
  return { name, ...empty, failure: null };
}

/** A few that don't count go ahead: what was made ready before, at nobody's cost, is used up by them. */
async function measureRound(way: Way, { job, atOnce, rendersPerRound }: Load, tally: Tally): Promise<void> {
  await inParallel(atOnce, atOnce, () => way.render(job()));
  const { wallMs, cpuSeconds, peakBytes } = await metered(way.pid, () =>
    inParallel(rendersPerRound, atOnce, async () => {
      const startedMs = performance.now();
      tally.fileBytes.push(await way.render(job()));
      tally.latenciesMs.push(performance.now() - startedMs);
    }),
  );
  tally.perSecond.push((rendersPerRound * 1000) / wallMs);
  tally.cpuSecondsEach.push(cpuSeconds / rendersPerRound);
  tally.peakBytes.push(peakBytes);
}

/** Renders per second of one way over those of another; `NaN` when one of them did not run. */
export function speedRatio(results: readonly WayResult[], ours: string, theirs: string): number {
  const [left, right] = [ours, theirs].map((name) => results.find((result) => result.name === name));
  return left === undefined || right === undefined || left.failure !== null || right.failure !== null
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
  "kB a file",
] as const satisfies Table["columns"];

export function wayCells(result: WayResult): string[] {
  const { name, latenciesMs, perSecond, cpuSecondsEach, peakBytes, fileBytes, failure } = result;
  if (failure !== null) return [TITLES[name] ?? name, "failed", ...WAY_COLUMNS.slice(2).map(() => "")];
  return [
    TITLES[name] ?? name,
    rounded(median(perSecond)),
    rounded(median(latenciesMs)),
    rounded(percentile(latenciesMs, 0.95)),
    rounded(median(cpuSecondsEach)),
    megabytes(Math.max(...peakBytes)),
    String(Math.round(median(fileBytes) / 1000)),
  ];
}
