import { availableParallelism } from "node:os";
import { runInParallel, runInRounds, median, medianRatio, percentile } from "./measure.ts";
import { meter } from "./processes.ts";
import { formatNumber } from "./report.ts";
import type { Bench } from "./scenario.ts";
import { startServerWay, type ServiceOptions } from "./service.ts";
import { startWay, type RenderJob, type Way } from "./ways/way.ts";

/** Names in the tables. */
const TITLES: Readonly<Record<Way["name"], string>> = {
  raw: "raw protocol calls",
  "raw-fast": "raw calls: fast PNG encoder, context closed after the response",
  puppeteer: "puppeteer, one context per render",
  "launch-per-request": "puppeteer, one browser per request",
  cluster: "puppeteer-cluster, one context per render",
  server: "snap: whole server over HTTP",
};

const WARM_UP = { renders: 4, concurrency: 4 } as const;
/** At least as many pages as any way prepares before a round; the service prepares four blank pages. */
export const UNMEASURED_RENDERS_MAX = 4 * availableParallelism();

/** Starts the ways, and warms up each way with a few concurrent renders. */
export async function startWays(
  bench: Bench,
  names: readonly Way["name"][],
  job: () => RenderJob,
  serverOptions: ServiceOptions = {},
): Promise<{ readonly ways: readonly Way[]; readonly stop: () => Promise<void> }> {
  const ways: Way[] = [];
  for (const name of names) {
    const way = name === "server" ? await startServerWay(bench, serverOptions) : await startWay(name, bench);
    ways.push(way);
    await runInParallel(WARM_UP.renders, WARM_UP.concurrency, () => way.render(job()));
  }
  const stop = async (): Promise<void> => void (await Promise.all(ways.map((way) => way.stop())));
  return { ways, stop };
}

/** One way with one load; each round runs every turn once. */
export interface Turn {
  readonly way: Way;
  readonly job: () => RenderJob;
  readonly concurrency: number;
  readonly rendersPerRound: number;
  /** Renders before a round that are not measured; they use up the prepared tabs. */
  readonly unmeasuredRenders: number;
}

export interface TurnResult {
  readonly name: Way["name"];
  /** One per render. */
  readonly latenciesMs: number[];
  readonly fileBytes: number[];
  readonly rounds: {
    readonly perSecond: number;
    readonly cpuSecondsEach: number;
    /** Fraction of the machine's cores that the process tree used. */
    readonly cpuUtilization: number;
  }[];
}

export async function measureTurns(turns: readonly Turn[], rounds: number): Promise<readonly TurnResult[]> {
  const measured = turns.map((turn) => {
    const result: TurnResult = { name: turn.way.name, latenciesMs: [], fileBytes: [], rounds: [] };
    return { turn, result };
  });
  await runInRounds(rounds, measured, ({ turn, result }) => measureRound(turn, result));
  return measured.map(({ result }) => result);
}

async function measureRound(turn: Turn, result: TurnResult): Promise<void> {
  const { way, job, concurrency, rendersPerRound, unmeasuredRenders } = turn;
  await runInParallel(unmeasuredRenders, unmeasuredRenders, () => way.render(job()));
  const reading = await meter(way.pid, () =>
    runInParallel(rendersPerRound, concurrency, async () => {
      const startedMs = performance.now();
      result.fileBytes.push(await way.render(job()));
      result.latenciesMs.push(performance.now() - startedMs);
    }),
  );
  const wallSeconds = reading.wallMs / 1000;
  result.rounds.push({
    perSecond: rendersPerRound / wallSeconds,
    cpuSecondsEach: reading.cpuSeconds / rendersPerRound,
    cpuUtilization: reading.busyCpuSeconds / wallSeconds / availableParallelism(),
  });
}

/** Median ratio of the renders per second, round by round; `NaN` if one was not measured. */
export function rateRatio(measured: TurnResult | undefined, baseline: TurnResult | undefined): number {
  const [left = [], right = []] = [measured, baseline].map((result) =>
    result?.rounds.map(({ perSecond }) => perSecond),
  );
  return measured && baseline ? medianRatio(left, right) : Number.NaN;
}

export function resultRow({ name, latenciesMs, fileBytes, rounds }: TurnResult): Record<string, string> {
  return {
    way: TITLES[name],
    "renders/s": formatNumber(median(rounds.map(({ perSecond }) => perSecond))),
    "median ms": formatNumber(median(latenciesMs)),
    "p95 ms": formatNumber(percentile(latenciesMs, 0.95)),
    "CPU s each": formatNumber(median(rounds.map(({ cpuSecondsEach }) => cpuSecondsEach))),
    "CPU utilization": `${Math.round(100 * median(rounds.map(({ cpuUtilization }) => cpuUtilization)))} %`,
    "kB per file": String(Math.round(median(fileBytes) / 1000)),
  };
}
