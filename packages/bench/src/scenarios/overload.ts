import { once } from "node:events";
import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { availableParallelism } from "node:os";
import { inParallel, median, percentile } from "../measure.ts";
import { memoryBytes } from "../processes.ts";
import { megabytes, rounded } from "../report.ts";
import { atLeast, atMost, type Bench, type Scenario } from "../scenario.ts";
import { fetchExpecting, startService, type BenchedService } from "../service.ts";
import { newJob } from "../ways/way.ts";

/** One alone may have 250 renders waiting, all together 1,000. */
const ACCOUNTS = { full: 10, quick: 1 } as const;
/** Twice the longest wait for a slot: requests that were let in with too little hope run out of time within it. */
const LOAD_SECONDS = { full: 120, quick: 8 } as const;
/** A refusal that comes later was let into the queue first. */
const WAITED_MS = 5000;
const TIMES_CAPACITY = 10;
/** A look costs 30 ms of processor time, which the renders then lack. */
const MEMORY_INTERVAL_MS = 3000;

interface Seen {
  rendered: number;
  readonly refusedAfterMs: number[];
  readonly others: string[];
  /** Sent in all; what is none of the above still waited for its slot when the time was over. */
  offered: number;
  readonly memory: number[];
}

export const overload: Scenario = {
  name: "overload",
  title: "Overload",
  about: `The page of 60 cards as PNG, by ${ACCOUNTS.full} accounts. First as fast as the service responds, for its capacity; then for ${LOAD_SECONDS.full} s ${TIMES_CAPACITY} times as many requests, sent on time whatever becomes of those before; then the capacity of a new service. The goodput is held against the mean of both, as a machine that others use changes meanwhile. The longest wait for a slot is a minute: a request that was queued and refused after all counts as refused late.`,
  async run(bench) {
    const size = bench.quick ? "quick" : "full";
    const seconds = LOAD_SECONDS[size];
    const loaded = await startService(bench, { accounts: ACCOUNTS[size] });
    const before = await measureCapacity(bench, loaded);
    bench.say(`${rounded(before)} renders/s; offering ${TIMES_CAPACITY} times that for ${seconds} s`);
    const seen = await offer(bench, loaded, { perSecond: before * TIMES_CAPACITY, seconds });
    // Hundreds of requests may still wait for their slot.
    await loaded.kill();
    const fresh = await startService(bench, { accounts: ACCOUNTS[size] });
    const capacity = (before + (await measureCapacity(bench, fresh))) / 2;
    await fresh.stop();

    const { rendered, refusedAfterMs, others, offered, memory } = seen;
    const third = Math.ceil(memory.length / 3);
    return {
      figures: [
        atLeast(0.95, "goodput under ten times the load, over capacity", rendered / seconds / capacity),
        atMost(100, "p95 of a refusal under it, ms", percentile(refusedAfterMs, 0.95)),
        atMost(
          1.05,
          "memory in the last third of it over the middle third",
          median(memory.slice(-third)) / median(memory.slice(third, -third)),
        ),
        atMost(0, "answers under it that were neither a rendering nor a 503 with Retry-After", others.length),
      ],
      tables: [
        {
          rows: [
            {
              "capacity/s": rounded(capacity),
              "goodput/s": rounded(rendered / seconds),
              offered: String(offered),
              refused: String(refusedAfterMs.length),
              "refused late": String(refusedAfterMs.filter((afterMs) => afterMs > WAITED_MS).length),
              "still waiting": String(offered - rendered - refusedAfterMs.length - others.length),
              "refusal median ms": rounded(median(refusedAfterMs)),
              "p95 ms": rounded(percentile(refusedAfterMs, 0.95)),
              "memory MB, each tenth": everyTenth(memory).map(megabytes).join(", "),
            },
          ],
        },
      ],
      remarks: others.length === 0 ? [] : [`Other responses: ${[...new Set(others)].join("; ")}`],
    };
  },
};

async function measureCapacity(bench: Bench, { bearers, snapUrl }: BenchedService): Promise<number> {
  const atOnce = 4 * availableParallelism();
  const renders = bench.quick ? 24 : 80;
  let requests = 0;
  const render = (): Promise<unknown> =>
    fetchExpecting(200, snapUrl(newJob(bench.siteOrigin, "cards")), bearers[requests++ % bearers.length]);
  await inParallel(atOnce, atOnce, render);
  const startedMs = performance.now();
  await inParallel(renders, atOnce, render);
  return (renders * 1000) / (performance.now() - startedMs);
}

/**
 * What happens while the load lasts; later responses no longer count. No load generator does this: they wait for
 * a response before they send the next request on a connection, and hundreds wait for a minute here.
 */
async function offer(
  bench: Bench,
  { pid, bearers, snapUrl }: BenchedService,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Seen> {
  const seen: Seen = { rendered: 0, refusedAfterMs: [], others: [], offered: 0, memory: [] };
  const agent = new Agent({ keepAlive: true });
  let isOver = false;
  const request = async (index: number): Promise<void> => {
    const sentMs = performance.now();
    const headers = bearers[index % bearers.length] ?? {};
    const sent = get(snapUrl(newJob(bench.siteOrigin, "cards")), { agent, headers });
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    if (isOver) return;
    if (response.statusCode === 200) seen.rendered += 1;
    else if (response.statusCode === 503 && Number(response.headers["retry-after"]) >= 1)
      seen.refusedAfterMs.push(performance.now() - sentMs);
    else seen.others.push(String(response.statusCode));
  };
  const sample = setInterval(() => seen.memory.push(memoryBytes(pid)), MEMORY_INTERVAL_MS);
  const startedMs = performance.now();
  for (let index = 0; index < Math.round(perSecond * seconds); index += 1) {
    const dueInMs = startedMs + (index * 1000) / perSecond - performance.now();
    if (dueInMs > 0) await sleep(dueInMs);
    seen.offered += 1;
    // The service is killed with requests still open; those that fail while the load lasts count.
    request(index).catch((error: unknown) => {
      if (!isOver) seen.others.push(String(error));
    });
  }
  isOver = true;
  clearInterval(sample);
  agent.destroy();
  return seen;
}

function everyTenth(values: readonly number[]): number[] {
  const step = Math.max(1, Math.ceil(values.length / 10));
  return values.filter((_, index) => index % step === 0);
}
