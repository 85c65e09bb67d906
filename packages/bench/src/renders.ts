import { availableParallelism } from "node:os";
import { inParallel, median, medianRatio, percentile } from "./measure.ts";
import { metered } from "./processes.ts";
import { rounded } from "./report.ts";
import type { Bench } from "./scenario.ts";
import { startServerWay, type ServiceOptions } from "./service.ts";
import { startWay, type RenderJob, type Way } from "./ways/way.ts";

/** As the tables call them. */
const TITLES: Readonly<Record<Way["name"], string>> = {
  raw: "raw protocol calls",
  "raw-fast": "raw calls: fast PNGs, closed behind the response",
  puppeteer: "puppeteer, a context per render",
  "launch-per-request": "puppeteer, a browser per request",
  cluster: "puppeteer-cluster, a context per render",
  server: "snap: whole server over HTTP",
};

const WARM_UP = { renders: 4, atOnce: 4 } as const;
/** More than any way has ready before a round: the service has a blank page for each processor. */
export const UNCOUNTED_MAX = 4 * availableParallelism();

/** Starts them and has each render a few at once, to warm up. */
export async function startWays(
  bench: Bench,
  names: readonly Way["name"][],
  job: () => RenderJob,
  ofServer: ServiceOptions = {},
): Promise<{ readonly ways: readonly Way[]; readonly stop: () => Promise<void> }> {
  const ways: Way[] = [];
  for (const name of names) {
    const way = name === "server" ? await startServerWay(bench, ofServer) : await startWay(name, bench);
    ways.push(way);
    await inParallel(WARM_UP.renders, WARM_UP.atOnce, () => way.render(job()));
  }
  const stop = async (): Promise<void> => void (await Promise.all(ways.map((way) => way.stop())));
  return { ways, stop };
}

/** One way with one load, which takes its turn in every round. */
export interface Turn {
  readonly way: Way;
  readonly job: () => RenderJob;
  readonly atOnce: number;
  readonly rendersPerRound: number;
  /** Renders ahead of a round: they use up what was made ready before, at nobody's cost. */
  readonly uncounted: number;
}

/** What it showed. */
export interface TurnResult {
  readonly name: Way["name"];
  /** Of each render. */
  readonly latenciesMs: number[];
  readonly fileBytes: number[];
  readonly rounds: {
    readonly perSecond: number;
    readonly cpuSecondsEach: number;
    /** Share of all the machine's processors that the process tree used. */
    readonly processorUse: number;
  }[];
}

/** Round by round, all turns in each, in an order that is reversed every time. */
export async function measureTurns(turns: readonly Turn[], rounds: number): Promise<readonly TurnResult[]> {
  const measured = turns.map((turn) => {
    const result: TurnResult = { name: turn.way.name, latenciesMs: [], fileBytes: [], rounds: [] };
    return { turn, result };
  });
  for (let round = 0; round < rounds; round += 1)
    for (const { turn, result } of round % 2 === 0 ? measured : measured.toReversed())
      await measureRound(turn, result);
  return measured.map(({ result }) => result);
}

async function measureRound(turn: Turn, result: TurnResult): Promise<void> {
  const { way, job, atOnce, rendersPerRound, uncounted } = turn;
  await inParallel(uncounted, uncounted, () => way.render(job()));
  const reading = await metered(way.pid, () =>
    inParallel(rendersPerRound, atOnce, async () => {
      const startedMs = performance.now();
      result.fileBytes.push(await way.render(job()));
      result.latenciesMs.push(performance.now() - startedMs);
    }),
  );
  const wallSeconds = reading.wallMs / 1000;
  result.rounds.push({
    perSecond: rendersPerRound / wallSeconds,
    cpuSecondsEach: reading.cpuSeconds / rendersPerRound,
    processorUse: reading.busyCpuSeconds / wallSeconds / availableParallelism(),
  });
}

/** Renders per second of one over those of another, pair by pair; `NaN` when one was not measured. */
export function rateRatio(ours: TurnResult | undefined, theirs: TurnResult | undefined): number {
  const [left = [], right = []] = [ours, theirs].map((result) =>
    result?.rounds.map(({ perSecond }) => perSecond),
  );
  return ours && theirs ? medianRatio(left, right) : Number.NaN;
}

export function resultRow({ latenciesMs, fileBytes, rounds }: TurnResult): Record<string, string> {
  return {
    "renders/s": rounded(median(rounds.map(({ perSecond }) => perSecond))),
    "median ms": rounded(median(latenciesMs)),
    "p95 ms": rounded(percentile(latenciesMs, 0.95)),
    "CPU s each": rounded(median(rounds.map(({ cpuSecondsEach }) => cpuSecondsEach))),
    "processors used": `${Math.round(100 * median(rounds.map(({ processorUse }) => processorUse)))} %`,
    "kB a file": String(Math.round(median(fileBytes) / 1000)),
  };
}

export function titleOf({ name }: TurnResult): string {
  return TITLES[name];
}
