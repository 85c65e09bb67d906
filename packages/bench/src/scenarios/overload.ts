import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { availableParallelism } from "node:os";
import { runInParallel, median, runOnSchedule, percentile } from "../measure.ts";
import { memoryBytes } from "../processes.ts";
import { formatMegabytes, formatNumber } from "../report.ts";
import { atLeast, atMost, type Bench, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService, type StartedService } from "../service.ts";
import { newJob } from "../ways/way.ts";

/** The queue holds 250 renders per account and 1,000 in total. */
const ACCOUNTS = { full: 10, quick: 1 } as const;
/** In full runs, twice the longest wait for a slot, so such waits end during the load. */
const LOAD_SECONDS = { full: 120, quick: 8 } as const;
/** A request rejected after this time was queued first. */
const LATE_REJECTION_MS = 5000;
const LOAD_FACTOR = 10;
/** A sample takes 30 ms of CPU time from the renders. */
const MEMORY_INTERVAL_MS = 3000;

interface LoadResult {
  rendered: number;
  readonly rejectionLatenciesMs: number[];
  readonly others: string[];
  /** All requests sent, including those still waiting for a slot at the end. */
  sent: number;
  readonly memory: number[];
}

export const overload: Scenario = {
  name: "overload",
  title: "Overload",
  about: `The page of 60 cards as PNG, for ${ACCOUNTS.full} accounts. First, the capacity is measured, with requests sent as fast as the service responds. Then ${LOAD_FACTOR} times as many requests arrive for ${LOAD_SECONDS.full} s, on schedule, whether or not earlier ones have finished. Then the capacity of a new service is measured. The goodput is compared with the mean of both capacities, because the speed of a shared machine varies. The longest wait for a slot is a minute; a request that is queued and then rejected counts as a late rejection.`,
  async run(bench) {
    const size = bench.quick ? "quick" : "full";
    const seconds = LOAD_SECONDS[size];
    const overloadedService = await startService(bench, { accounts: ACCOUNTS[size] });
    const before = await measureCapacity(bench, overloadedService);
    bench.log(`${formatNumber(before)} renders/s; sending ${LOAD_FACTOR} times that for ${seconds} s`);
    const result = await sendOnSchedule(bench, overloadedService, {
      perSecond: before * LOAD_FACTOR,
      seconds,
    });
    // Killed, because hundreds of requests may still be waiting for a slot.
    await overloadedService.kill();
    const fresh = await startService(bench, { accounts: ACCOUNTS[size] });
    const capacity = (before + (await measureCapacity(bench, fresh))) / 2;
    await fresh.stop();

    const { rendered, rejectionLatenciesMs, others, sent, memory } = result;
    const third = Math.ceil(memory.length / 3);
    return {
      figures: [
        atLeast(
          0.95,
          "goodput under ten times the load, relative to capacity",
          rendered / seconds / capacity,
        ),
        atMost(100, "p95 of a rejection under overload, ms", percentile(rejectionLatenciesMs, 0.95)),
        atMost(
          1.05,
          "memory in the last third of the overload relative to the middle third",
          median(memory.slice(-third)) / median(memory.slice(third, -third)),
        ),
        atMost(0, "responses other than a rendering or a 503 with Retry-After", others.length),
      ],
      tables: [
        [
          {
            "capacity/s": formatNumber(capacity),
            "goodput/s": formatNumber(rendered / seconds),
            sent: String(sent),
            rejected: String(rejectionLatenciesMs.length),
            "rejected late": String(
              rejectionLatenciesMs.filter((latencyMs) => latencyMs > LATE_REJECTION_MS).length,
            ),
            "still waiting": String(sent - rendered - rejectionLatenciesMs.length - others.length),
            "rejection median ms": formatNumber(median(rejectionLatenciesMs)),
            "p95 ms": formatNumber(percentile(rejectionLatenciesMs, 0.95)),
            "memory MB, each tenth": onePerTenth(memory).map(formatMegabytes).join(", "),
          },
        ],
      ],
      remarks: others.length === 0 ? [] : [`Other responses: ${[...new Set(others)].join("; ")}`],
    };
  },
};

async function measureCapacity(bench: Bench, { bearerHeaders, snapUrl }: StartedService): Promise<number> {
  const concurrency = 4 * availableParallelism();
  const renders = bench.quick ? 24 : 80;
  let requests = 0;
  const render = (): Promise<unknown> =>
    fetchExpecting(
      200,
      snapUrl(newJob(bench.siteOrigin, "cards")),
      bearerHeaders[requests++ % bearerHeaders.length],
    );
  await runInParallel(concurrency, concurrency, render);
  const startedMs = performance.now();
  await runInParallel(renders, concurrency, render);
  return (renders * 1000) / (performance.now() - startedMs);
}

/**
 * Sends requests on schedule, and counts the responses until the last request is sent. Load generators cannot do this: they
 * wait for a response before they send the next request on a connection, and here hundreds wait for a minute.
 */
async function sendOnSchedule(
  bench: Bench,
  { pid, bearerHeaders, snapUrl }: StartedService,
  load: Parameters<typeof runOnSchedule>[0],
): Promise<LoadResult> {
  const result: LoadResult = { rendered: 0, rejectionLatenciesMs: [], others: [], sent: 0, memory: [] };
  const agent = new Agent({ keepAlive: true });
  let isDone = false;
  const request = async (index: number): Promise<void> => {
    const sentMs = performance.now();
    const headers = bearerHeaders[index % bearerHeaders.length] ?? {};
    const clientRequest = get(snapUrl(newJob(bench.siteOrigin, "cards")), { agent, headers });
    const [response] = (await once(clientRequest, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    if (isDone) return;
    if (response.statusCode === 200) result.rendered += 1;
    else if (response.statusCode === 503 && Number(response.headers["retry-after"]) >= 1)
      result.rejectionLatenciesMs.push(performance.now() - sentMs);
    else result.others.push(String(response.statusCode));
  };
  const sampleTimer = setInterval(() => result.memory.push(memoryBytes(pid)), MEMORY_INTERVAL_MS);
  await runOnSchedule(load, (index) => {
    result.sent += 1;
    // Requests that fail during the load count; those that fail later, when the service is killed, do not.
    request(index).catch((error: unknown) => {
      if (!isDone) result.others.push(String(error));
    });
  });
  isDone = true;
  clearInterval(sampleTimer);
  agent.destroy();
  return result;
}

function onePerTenth(values: readonly number[]): number[] {
  const step = Math.max(1, Math.ceil(values.length / 10));
  return values.filter((_, index) => index % step === 0);
}
