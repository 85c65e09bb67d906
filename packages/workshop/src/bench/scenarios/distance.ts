import type { RoundTripMs } from "../distance/hosts.ts";
import { startDistance, type Distance } from "../distance/start-distance.ts";
import { newJob } from "../jobs.ts";
import {
  failuresOf,
  measureInTurns,
  measureTurns,
  rateRatio,
  speedRatio,
  startWays,
  wayCells,
  WAY_COLUMNS,
  type StartedWays,
} from "../measure-ways.ts";
import { rounded, type Table } from "../report/table.ts";
import type { Bench, Findings, Scenario } from "../scenario.ts";

const SHARED_BROWSER = ["raw", "puppeteer", "server"] as const;
const ACCOUNTS = 8;
const FAR_MS = [30, 150] as const;
const MANY_IN_FLIGHT = 32;
/** Fewer would mostly show how a round begins and ends. */
const MANY_PER_ROUND = 96;

export const distance: Scenario = {
  name: "distance",
  title: "Pages at internet distance",
  about: `A page over TLS and HTTP/2 with 40 resources from four hosts and a third party that takes a second to answer; PNG, the default wait. A relay in user space adds the latency: half a round trip for each chunk each way and one for the TCP handshake; bandwidth and slow start are not emulated. All browsers trust the pages' certificate by its key. browserless starts a browser for each request; it runs at 30 ms with four in flight only.`,
  onlyFull: true,
  async run(bench) {
    const distant = await startDistance(bench);
    const names = [...SHARED_BROWSER, "browserless"];
    const started = await startWays(distant.bench, names, () => newDistant(distant, 0), {
      accounts: ACCOUNTS,
    });
    try {
      const few = await measureFew(bench, distant, started);
      const many = await measureMany(bench, distant, started);
      const untilLoad = await measureUntilLoad(bench, distant, started);
      return {
        figures: [...many.figures, ...untilLoad.figures],
        tables: [...few.tables, ...many.tables, ...untilLoad.tables],
        remarks: [...started.remarks, ...[few, many, untilLoad].flatMap(({ remarks }) => remarks ?? [])],
      };
    } finally {
      await started.stop();
      await distant.stop();
    }
  },
};

function newDistant(
  { originAt }: Distance,
  roundTripMs: RoundTripMs,
  waitUntil: "default" | "load" = "default",
): ReturnType<typeof newJob> {
  return newJob(originAt(roundTripMs), "distant", { waitUntil });
}

async function measureFew(bench: Bench, distant: Distance, { ways }: StartedWays): Promise<Findings> {
  const rows: string[][] = [];
  const remarks: string[] = [];
  for (const roundTripMs of FAR_MS) {
    bench.say(`${roundTripMs} ms, 4 in flight`);
    const chosen = ways.filter(({ name }) => roundTripMs === 30 || name !== "browserless");
    const results = await measureInTurns(chosen, {
      job: () => newDistant(distant, roundTripMs),
      atOnce: 4,
      rendersPerRound: bench.quick ? 4 : 8,
      rounds: bench.quick ? 1 : 2,
    });
    for (const result of results)
      rows.push([
        `${roundTripMs} ms`,
        ...wayCells(result),
        rounded(speedRatio(results, "server", result.name)),
      ]);
    remarks.push(...failuresOf(results));
  }
  const columns: Table["columns"] = ["round trip", ...WAY_COLUMNS, "server over it"];
  return { figures: [], tables: [{ title: "Four in flight", columns, rows }], remarks };
}

/** The same page near and far, in the same rounds: how much of its rate the service keeps. */
async function measureMany(bench: Bench, distant: Distance, { ways }: StartedWays): Promise<Findings> {
  bench.say(`0 and 150 ms, ${MANY_IN_FLIGHT} in flight`);
  const turns = ways
    .filter(({ name }) => name === "server")
    .flatMap((way) =>
      ([0, 150] as const).map((roundTripMs) => ({
        way,
        roundTripMs,
        load: {
          job: () => newDistant(distant, roundTripMs),
          atOnce: MANY_IN_FLIGHT,
          rendersPerRound: bench.quick ? MANY_IN_FLIGHT : MANY_PER_ROUND,
        },
      })),
    );
  const results = await measureTurns(turns, bench.quick ? 1 : 2);
  const [near] = results;
  return {
    figures: [
      {
        name: `pages at 150 ms, ${MANY_IN_FLIGHT} in flight: renders/s over the same page at 0 ms`,
        value: rateRatio(results.at(-1), near),
        target: { atLeast: 0.85 },
      },
    ],
    tables: [
      {
        title: `${MANY_IN_FLIGHT} in flight`,
        columns: ["round trip", ...WAY_COLUMNS, "over 0 ms"],
        rows: results.map((result, index) => [
          `${turns[index]?.roundTripMs} ms`,
          ...wayCells(result),
          rounded(rateRatio(result, near)),
        ]),
      },
    ],
    remarks: failuresOf(results),
  };
}

async function measureUntilLoad(bench: Bench, distant: Distance, { ways }: StartedWays): Promise<Findings> {
  bench.say("HTTPS until load");
  const results = await measureInTurns(
    ways.filter(({ name }) => name !== "browserless"),
    {
      job: () => newDistant(distant, 0, "load"),
      atOnce: 4,
      rendersPerRound: bench.quick ? 4 : 16,
      rounds: bench.quick ? 1 : 3,
    },
  );
  return {
    figures: [
      {
        name: "HTTPS page until load, 4 in flight: renders/s over raw protocol calls",
        value: speedRatio(results, "server", "raw"),
        target: { atLeast: 1.1 },
      },
    ],
    tables: [
      {
        title: "Until `load`, 0 ms, four in flight",
        columns: [...WAY_COLUMNS, "server over it"],
        rows: results.map((result) => [
          ...wayCells(result),
          rounded(speedRatio(results, "server", result.name)),
        ]),
      },
    ],
    remarks: failuresOf(results),
  };
}
