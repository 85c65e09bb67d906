import { median } from "../measure.ts";
import {
  measureTurns,
  rateRatio,
  resultRow,
  startWays,
  UNMEASURED_RENDERS_MAX,
  type TurnResult,
} from "../renders.ts";
import { formatNumber } from "../report.ts";
import {
  atLeast,
  atMost,
  type Bench,
  type Figure,
  type Findings,
  type Row,
  type Scenario,
} from "../scenario.ts";
import { startRemoteSite } from "../site/latency.ts";
import { newJob, type RenderJob, type Way } from "../ways/way.ts";

/** Makes the figures for a load. `relativeTo` returns the server's renders/s relative to those of another way. */
type FiguresOf = (relativeTo: (baseline: Way["name"]) => number, server: TurnResult) => readonly Figure[];

/** A load that runs with some of the ways, one after another. */
interface Load {
  readonly label: string;
  readonly job: () => RenderJob;
  readonly ways: readonly Way["name"][];
  readonly concurrency?: number;
  /** Per round; quick runs have fewer rounds, with fewer renders. */
  readonly renders?: number;
  readonly rounds?: number;
  readonly fullRunOnly?: boolean;
  /** Skips the unmeasured renders before a round, so prepared tabs count. */
  readonly fromIdle?: boolean;
  readonly figures?: FiguresOf;
}

async function compareWays(bench: Bench, loads: readonly Load[], accounts = 1): Promise<Findings> {
  const chosen = loads.filter(({ fullRunOnly }) => !(bench.quick && fullRunOnly));
  const names = [...new Set(chosen.flatMap(({ ways }) => ways))];
  const rows: Row[] = [];
  const allFigures: Figure[] = [];
  const started = await startWays(bench, names, () => newJob(bench.siteOrigin, "small"), { accounts });
  try {
    for (const { label, job, ways, concurrency = 4, renders = 16, rounds = 3, fromIdle, figures } of chosen) {
      bench.log(label);
      const rendersPerRound = bench.quick ? concurrency : renders;
      const unmeasuredRenders = fromIdle ? 0 : Math.min(concurrency, UNMEASURED_RENDERS_MAX);
      const turns = started.ways
        .filter(({ name }) => ways.includes(name))
        .map((way) => ({ way, job, concurrency, rendersPerRound, unmeasuredRenders }));
      const results = await measureTurns(turns, bench.quick ? Math.ceil(rounds / 8) : rounds);
      const server = results.find(({ name }) => name === "server");
      const relativeTo = (baseline: Way["name"]): number =>
        rateRatio(
          server,
          results.find(({ name }) => name === baseline),
        );
      for (const result of results) rows.push(rowOf(label, result, relativeTo(result.name)));
      if (server !== undefined) allFigures.push(...(figures?.(relativeTo, server) ?? []));
    }
  } finally {
    await started.stop();
  }
  return { figures: allFigures, tables: [rows] };
}

function rowOf(label: string, result: TurnResult, ratio: number): Row {
  return { load: label, ...resultRow(result), "server relative to it": formatNumber(ratio) };
}

/** One account cannot use all slots; with a single account, the scenario would measure that limit. */
const ACCOUNTS = 8;
const PUPPETEER_AND_SERVER = ["puppeteer", "server"] as const;

export const defaultWait: Scenario = {
  name: "default-wait",
  title: "The default request",
  about: `A PNG with no parameter but the URL, of a local page whose script fetches data for 0.1 s and then changes the page. The service uses its default wait; Puppeteer waits for \`networkidle2\`. ${ACCOUNTS} accounts take turns.`,
  run(bench) {
    const job = (): RenderJob => newJob(bench.siteOrigin, "soon", { waitUntil: "default" });
    const figureSuffix = "in flight: renders/s relative to plain Puppeteer with networkidle2";
    const loads: readonly Load[] = [
      {
        label: "1 in flight",
        job,
        ways: PUPPETEER_AND_SERVER,
        concurrency: 1,
        renders: 6,
        figures: (_, { latenciesMs }) => [
          atMost(620, "default request, one in flight: median latency, ms", median(latenciesMs)),
        ],
      },
      {
        label: "4 in flight",
        job,
        ways: PUPPETEER_AND_SERVER,
        renders: 12,
        figures: (relativeTo) => [
          atLeast(1.4, `default request, 4 ${figureSuffix}`, relativeTo("puppeteer")),
        ],
      },
      {
        label: "16 in flight",
        job,
        ways: PUPPETEER_AND_SERVER,
        concurrency: 16,
        // With fewer, the start and the end of a round would dominate.
        renders: 80,
        rounds: 2,
        figures: (relativeTo, { rounds }) => [
          atLeast(1.3, `default request, 16 ${figureSuffix}`, relativeTo("puppeteer")),
          atLeast(
            0.85,
            "default request, 16 in flight: CPU utilization",
            median(rounds.map(({ cpuUtilization }) => cpuUtilization)),
          ),
        ],
      },
    ];
    return compareWays(bench, loads, ACCOUNTS);
  },
};

const LATENCY_MS = 150;
const HIGH_CONCURRENCY = 32;

export const distance: Scenario = {
  name: "distance",
  title: "Pages with internet latency",
  about:
    "A PNG of a page over TLS and HTTP/2 with 40 resources from four hosts and a third party that takes a second to respond: without and with latency, until `load` with four in flight and with the default wait with 32. A relay in user space adds latency: half a round trip per chunk in each direction, and one for the TCP handshake. It does not emulate bandwidth or slow start. All browsers trust the pages' certificate by its key.",
  fullRunOnly: true,
  async run(bench) {
    const remote = await startRemoteSite(bench, [0, LATENCY_MS]);
    const jobAt = (roundTripMs: number, waitUntil: RenderJob["waitUntil"]) => (): RenderJob =>
      newJob(remote.originAt(roundTripMs), "remote", { waitUntil });
    const untilLoad: readonly Load[] = [
      {
        label: "0 ms, until load",
        job: jobAt(0, "load"),
        ways: ["raw", "server"],
        figures: (relativeTo) => [
          atLeast(
            1.1,
            "HTTPS page until load, 4 in flight: renders/s relative to raw protocol calls",
            relativeTo("raw"),
          ),
        ],
      },
      { label: `${LATENCY_MS} ms, until load`, job: jobAt(LATENCY_MS, "load"), ways: ["server"] },
    ];
    try {
      const few = await compareWays(remote.bench, untilLoad);
      const many = await compareLatencies(remote.bench, (roundTripMs) => jobAt(roundTripMs, "default"));
      return { figures: [...many.figures, ...few.figures], tables: [...few.tables, ...many.tables] };
    } finally {
      await remote.stop();
    }
  },
};

/** Renders the same page without and with latency, in the same rounds, and compares the rates. */
async function compareLatencies(
  bench: Bench,
  jobAt: (roundTripMs: number) => () => RenderJob,
): Promise<Findings> {
  bench.log(`0 and ${LATENCY_MS} ms, ${HIGH_CONCURRENCY} in flight`);
  const { ways, stop } = await startWays(bench, ["server"], jobAt(0), { accounts: ACCOUNTS });
  const turns = ways.flatMap((way) =>
    [0, LATENCY_MS].map((roundTripMs) => ({
      way,
      job: jobAt(roundTripMs),
      concurrency: HIGH_CONCURRENCY,
      rendersPerRound: bench.quick ? HIGH_CONCURRENCY : 3 * HIGH_CONCURRENCY,
      unmeasuredRenders: UNMEASURED_RENDERS_MAX,
    })),
  );
  const [near, far] = (await measureTurns(turns, bench.quick ? 1 : 2)) as [TurnResult, TurnResult];
  await stop();
  const name = `pages at ${LATENCY_MS} ms, ${HIGH_CONCURRENCY} in flight: renders/s relative to the same page at 0 ms`;
  const rows = [
    rowOf(`0 ms, ${HIGH_CONCURRENCY} in flight`, near, 1),
    rowOf(`${LATENCY_MS} ms, ${HIGH_CONCURRENCY} in flight`, far, rateRatio(near, far)),
  ];
  return { figures: [atLeast(0.85, name, rateRatio(far, near))], tables: [rows] };
}

export const ways: Scenario = {
  name: "ways",
  title: "Ways of rendering",
  about:
    "Renders until `load`, four in flight: the page of 60 cards as PNG, JPEG, WebP and PDF, and a PNG of 200 images with two web fonts over plain HTTP. For a PDF, the service uses its default wait; the raw calls wait for `load` and 500 ms, then print.",
  run(bench) {
    const job = (page: string, options?: Partial<RenderJob>) => (): RenderJob =>
      newJob(bench.siteOrigin, page, options);
    const loadAgainstRaw = (label: string, overrides: Partial<Load> & Pick<Load, "job">): Load => ({
      label,
      ways: ["raw", "server"],
      figures: (relativeTo) => [
        atLeast(1, `${label}, 4 in flight: renders/s relative to raw protocol calls`, relativeTo("raw")),
      ],
      ...overrides,
    });
    // One browser per request takes about three times as long as the other ways.
    const slow = bench.quick ? [] : (["launch-per-request"] as const);
    const figurePrefix = "renders/s of the whole server relative to";
    return compareWays(bench, [
      {
        label: "PNG",
        job: job("cards"),
        ways: ["raw", "raw-fast", ...slow, "cluster", "server"],
        rounds: 4,
        figures: (relativeTo) => [
          atLeast(1, `${figurePrefix} raw protocol calls`, relativeTo("raw")),
          atLeast(1, `${figurePrefix} raw protocol calls that also encode for speed`, relativeTo("raw-fast")),
          atLeast(1.2, `${figurePrefix} puppeteer-cluster`, relativeTo("cluster")),
          atLeast(2.5, `${figurePrefix} one browser per request`, relativeTo("launch-per-request")),
        ],
      },
      loadAgainstRaw("JPEG", { job: job("cards", { format: "jpeg" }), fullRunOnly: true }),
      loadAgainstRaw("WebP", { job: job("cards", { format: "webp" }) }),
      loadAgainstRaw("PDF", { job: job("cards", { format: "pdf", waitUntil: "default" }), renders: 8 }),
      loadAgainstRaw("heavy", { job: job("heavy"), renders: 8, fullRunOnly: true }),
    ]);
  },
};

export const idle: Scenario = {
  name: "idle",
  title: "One render on an idle server",
  about:
    "The page of 60 cards as PNG until `load`, in sequential renders, each on an idle process, so prepared tabs count.",
  run(bench) {
    const relativeLatency = "latency of one render on an idle server relative to";
    return compareWays(bench, [
      {
        label: "1, idle",
        job: () => newJob(bench.siteOrigin, "cards"),
        ways: ["raw", "raw-fast", "server"],
        concurrency: 1,
        renders: 1,
        rounds: 20,
        fromIdle: true,
        // With one render per round, the rate is the inverse of the latency.
        figures: (relativeTo) => [
          atMost(0.75, `${relativeLatency} raw protocol calls`, 1 / relativeTo("raw")),
          atMost(
            0.75,
            `${relativeLatency} raw calls that encode for speed and close after the response`,
            1 / relativeTo("raw-fast"),
          ),
        ],
      },
    ]);
  },
};
