import { newJob } from "../jobs.ts";
import {
  failuresOf,
  measureInTurns,
  speedRatio,
  startWays,
  wayCells,
  WAY_COLUMNS,
  type Load,
  type WayResult,
} from "../measure-ways.ts";
import type { Figure } from "../report/figure.ts";
import { rounded } from "../report/table.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { median } from "../statistics.ts";
import type { RenderJob } from "../ways/way.ts";

const SHARED_BROWSER = ["raw", "puppeteer", "cluster", "server"] as const;
/** These start a browser per request: more of them in flight would only measure how browsers start. */
const BROWSER_PER_REQUEST = ["capture-website", "browserless"] as const;
const QUICK = ["raw", "puppeteer", "server"] as const;
/** A queue is bounded per account: with 64 in flight of one account the bound would be measured. */
const ACCOUNTS = 8;
/** A round with 64 in flight takes long enough with these. */
const RENDERS_MAX = 64;
const IN_FLIGHT = { full: [1, 4, 16, 64], quick: [1, 4, 16] } as const;

const newSoon = ({ siteOrigin }: Bench): RenderJob => newJob(siteOrigin, "soon", { waitUntil: "default" });

export const defaultWait: Scenario = {
  name: "default-wait",
  title: "The default request",
  about: `A PNG with no parameter but the URL, of a local page whose script fetches something that arrives after 0.1 s and then changes the page. Ours waits as it does by default; Puppeteer, puppeteer-cluster and browserless for \`networkidle2\`; the raw calls for \`load\`, and then until at most two requests were in flight for 500 ms by their own count. ${ACCOUNTS} accounts take turns. capture-website and browserless start a browser for each request; they run with four in flight only.`,
  async run(bench) {
    const names = bench.quick ? QUICK : [...SHARED_BROWSER, ...BROWSER_PER_REQUEST];
    const started = await startWays(bench, names, () => newSoon(bench), { accounts: ACCOUNTS });
    const measured = new Map<number, readonly WayResult[]>();
    try {
      for (const inFlight of bench.quick ? IN_FLIGHT.quick : IN_FLIGHT.full) {
        bench.say(`${inFlight} in flight`);
        const ways = started.ways.filter(
          ({ name }) => inFlight === 4 || SHARED_BROWSER.some((shared) => shared === name),
        );
        measured.set(inFlight, await measureInTurns(ways, loadOf(bench, inFlight)));
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

function loadOf(bench: Bench, inFlight: number): Load {
  return {
    job: () => newSoon(bench),
    atOnce: inFlight,
    rendersPerRound: bench.quick ? Math.max(2, inFlight) : Math.max(8, Math.min(3 * inFlight, RENDERS_MAX)),
    rounds: bench.quick ? 1 : 4,
  };
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
