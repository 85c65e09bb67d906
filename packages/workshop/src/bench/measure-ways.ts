import { availableParallelism } from "node:os";
import { inParallel } from "./compare.ts";
import { metered } from "./meter.ts";
import { megabytes, percent, rounded, type Table } from "./report/table.ts";
import { startServerWay, type ServiceOptions } from "./service.ts";
import type { Bench } from "./scenario.ts";
import { median, medianRatio, percentile } from "./statistics.ts";
import { installPeers } from "./ways/peers.ts";
import { startWay } from "./ways/start-way.ts";
import type { RenderJob, Way } from "./ways/way.ts";

/** As the tables call them. */
const TITLES: Readonly<Record<string, string>> = {
  raw: "raw protocol calls",
  "raw-fast": "raw calls: fast PNGs, closed behind the answer",
  puppeteer: "puppeteer, a context per render",
  "launch-per-request": "puppeteer, a browser per request",
  cluster: "puppeteer-cluster, a context per render",
  "capture-website": "capture-website",
  browserless: "browserless, a browser per request",
  engine: "snap: engine alone",
  server: "snap: whole server over HTTP",
};

const WARM_UP = { renders: 4, atOnce: 4 } as const;
/** More than any way has ready before a round: the service has a blank page for each processor. */
const UNCOUNTED_MAX = 4 * availableParallelism();

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
  /** Share of all the machine's processors that the process tree used. */
  readonly processorUse: readonly number[];
  readonly medianBytes: readonly number[];
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
  ofServer: ServiceOptions = {},
): Promise<StartedWays> {
  const ways: Way[] = [];
  const remarks: string[] = [];
  for (const name of names) {
    try {
      await installPeers(name, bench.say);
      const way = name === "server" ? await startServerWay(bench, ofServer) : await startWay(name, bench);
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
  readonly processorUse: number[];
  readonly medianBytes: number[];
  readonly peakBytes: number[];
  readonly fileBytes: number[];
  failure: string | null;
}

/** Round by round, all ways in each, in an order that is turned round every time. */
export function measureInTurns(ways: readonly Way[], load: Load): Promise<readonly WayResult[]> {
  const { rounds } = load;
  return measureTurns(
    ways.map((way) => ({ way, load })),
    rounds,
  );
}

/** The same where a way may have several turns, each with its own load. Results come in the order of the turns. */
export async function measureTurns(
  wanted: readonly { readonly way: Way; readonly load: Omit<Load, "rounds"> }[],
  rounds: number,
): Promise<readonly WayResult[]> {
  const turns = wanted.map(({ way, load }) => ({ way, load, tally: newTally(way.name) }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { way, load, tally } of round % 2 === 0 ? turns : turns.toReversed()) {
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
  return {
    name,
    latenciesMs: [],
    perSecond: [],
    cpuSecondsEach: [],
    processorUse: [],
    medianBytes: [],
    peakBytes: [],
    fileBytes: [],
    failure: null,
  };
}

/** A few that don't count go ahead: what was made ready before, at nobody's cost, is used up by them. */
async function measureRound(
  way: Way,
  { job, atOnce, rendersPerRound }: Omit<Load, "rounds">,
  tally: Tally,
): Promise<void> {
  const uncounted = Math.min(atOnce, UNCOUNTED_MAX);
  await inParallel(uncounted, uncounted, () => way.render(job()));
  const reading = await metered(way.pid, () =>
    inParallel(rendersPerRound, atOnce, async () => {
      const startedMs = performance.now();
      tally.fileBytes.push(await way.render(job()));
      tally.latenciesMs.push(performance.now() - startedMs);
    }),
  );
  const wallSeconds = reading.wallMs / 1000;
  tally.perSecond.push(rendersPerRound / wallSeconds);
  tally.cpuSecondsEach.push(reading.cpuSeconds / rendersPerRound);
  tally.processorUse.push(reading.busyCpuSeconds / wallSeconds / availableParallelism());
  tally.medianBytes.push(reading.medianBytes);
  tally.peakBytes.push(reading.peakBytes);
}

/** Renders per second of one way over those of another; `NaN` when one of them did not run. */
export function speedRatio(results: readonly WayResult[], ours: string, theirs: string): number {
  const [left, right] = [ours, theirs].map((name) => results.find((result) => result.name === name));
  return rateRatio(left, right);
}

/** Renders per second of one result over those of another; `NaN` when one of them is missing. */
export function rateRatio(left: WayResult | undefined, right: WayResult | undefined): number {
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
  "processors used",
  "peak MB",
  "kB a file",
] as const satisfies Table["columns"];

export function wayCells(result: WayResult): string[] {
  const { name, latenciesMs, perSecond, cpuSecondsEach, processorUse, peakBytes, fileBytes, failure } =
    result;
  if (failure !== null) return [TITLES[name] ?? name, "failed", ...WAY_COLUMNS.slice(2).map(() => "")];
  return [
    TITLES[name] ?? name,
    rounded(median(perSecond)),
    rounded(median(latenciesMs)),
    rounded(percentile(latenciesMs, 0.95)),
    rounded(median(cpuSecondsEach)),
    percent(median(processorUse)),
    megabytes(Math.max(...peakBytes)),
    String(Math.round(median(fileBytes) / 1000)),
  ];
}
