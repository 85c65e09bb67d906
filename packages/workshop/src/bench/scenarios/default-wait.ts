import { newJob } from "../jobs.ts";
import {
  failuresOf,
  measureTurns,
  speedRatio,
  startWays,
  wayCells,
  WAY_COLUMNS,
  type StartedWays,
  type WayResult,
} from "../measure-ways.ts";
import type { Figure } from "../report/figure.ts";
import { rounded } from "../report/table.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { median } from "../statistics.ts";
import type { RenderJob } from "../ways/way.ts";

const BASIC = ["raw", "puppeteer", "server"] as const;
const SHARED_BROWSER = [...BASIC, "cluster"] as const;
/** These start a browser per request: more of them in flight would only measure how browsers start. */
const BROWSER_PER_REQUEST = ["capture-website", "browserless"] as const;
/** They render about one page a second. */
const RENDERS_PER_REQUEST_MAX = 8;
/** A queue is bounded per account: with 64 in flight of one account the bound would be measured. */
const ACCOUNTS = 8;

interface Stage {
  readonly inFlight: number;
  readonly names: readonly string[];
  readonly rendersPerRound: number;
  readonly rounds: number;
}

/** With 16 in flight, fewer than 80 renders a round would mostly show how a round begins and ends. */
const STAGES: Readonly<Record<"full" | "quick", readonly Stage[]>> = {
  full: [
    { inFlight: 1, names: BASIC, rendersPerRound: 6, rounds: 3 },
    { inFlight: 4, names: [...SHARED_BROWSER, ...BROWSER_PER_REQUEST], rendersPerRound: 12, rounds: 3 },
    { inFlight: 16, names: SHARED_BROWSER, rendersPerRound: 80, rounds: 2 },
    { inFlight: 64, names: BASIC, rendersPerRound: 64, rounds: 2 },
  ],
  quick: [
    { inFlight: 1, names: BASIC, rendersPerRound: 2, rounds: 1 },
    { inFlight: 4, names: BASIC, rendersPerRound: 4, rounds: 1 },
    { inFlight: 16, names: BASIC, rendersPerRound: 16, rounds: 1 },
  ],
};

const newSoon = ({ siteOrigin }: Bench): RenderJob => newJob(siteOrigin, "soon", { waitUntil: "default" });

export const defaultWait: Scenario = {
  name: "default-wait",
  title: "The default request",
  about: `A PNG with no parameter but the URL, of a local page whose script fetches something that arrives after 0.1 s and then changes the page. Ours waits as it does by default; Puppeteer, puppeteer-cluster and browserless for \`networkidle2\`; the raw calls for \`load\`, and then until at most two requests were in flight for 500 ms by their own count. ${ACCOUNTS} accounts take turns. capture-website and browserless start a browser for each request; they run with four in flight only.`,
  async run(bench) {
    const stages = STAGES[bench.quick ? "quick" : "full"];
    const names = [...new Set(stages.flatMap((stage) => stage.names))];
    const started = await startWays(bench, names, () => newSoon(bench), { accounts: ACCOUNTS });
    const measured = new Map<number, readonly WayResult[]>();
    try {
      for (const stage of stages) {
        bench.say(`${stage.inFlight} in flight`);
        measured.set(stage.inFlight, await measureStage(bench, started, stage));
      }
    } finally {
      await started.stop();
    }
    return {
      figures: figuresOf(measured),
      tables: [
        {
          columns: ["in flight", ...WAY_COLUMNS, "server over it"],
          rows: [...measured].flatMap(([inFlight, results]) =>
            results.map((result) => [
              String(inFlight),
              ...wayCells(result),
              rounded(speedRatio(results, "server", result.name)),
            ]),
          ),
        },
      ],
      remarks: [...started.remarks, ...[...measured.values()].flatMap(failuresOf)],
    };
  },
};

function measureStage(
  bench: Bench,
  { ways }: StartedWays,
  { inFlight, names, rendersPerRound, rounds }: Stage,
): Promise<readonly WayResult[]> {
  const turns = ways
    .filter(({ name }) => names.includes(name))
    .map((way) => ({
      way,
      load: {
        job: () => newSoon(bench),
        atOnce: inFlight,
        rendersPerRound: BROWSER_PER_REQUEST.some((name) => name === way.name)
          ? Math.min(rendersPerRound, RENDERS_PER_REQUEST_MAX)
          : rendersPerRound,
      },
    }));
  return measureTurns(turns, rounds);
}

function figuresOf(measured: ReadonlyMap<number, readonly WayResult[]>): Figure[] {
  const serverWith = (inFlight: number): WayResult | undefined =>
    measured.get(inFlight)?.find(({ name }) => name === "server");
  const overPuppeteer = (inFlight: number, atLeast: number): Figure => ({
    name: `default request, ${inFlight} in flight: renders/s over plain Puppeteer with networkidle2`,
    value: speedRatio(measured.get(inFlight) ?? [], "server", "puppeteer"),
    target: { atLeast },
  });
  return [
    overPuppeteer(4, 1.4),
    overPuppeteer(16, 1.3),
    {
      name: "default request, 16 in flight: share of all processors in use",
      value: median(serverWith(16)?.processorUse ?? []),
      target: { atLeast: 0.85 },
    },
    {
      name: "default request, one in flight: median latency, ms",
      value: median(serverWith(1)?.latenciesMs ?? []),
      target: { atMost: 620 },
    },
  ];
}
