import { setTimeout as sleep } from "node:timers/promises";
import { inParallel } from "../compare.ts";
import { fetchExpecting } from "../fetch-expecting.ts";
import { newJob } from "../jobs.ts";
import { KeptConnection, requestBytes, type AnswerHead } from "../kept-connection.ts";
import { memoryBytes, readTree } from "../process-tree.ts";
import { megabytes, rounded } from "../report/table.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { startService, type BenchedService } from "../service.ts";
import { median, percentile } from "../statistics.ts";

/** One alone may have 250 renders waiting, all together 1,000. */
const ACCOUNTS = { full: 10, quick: 1 } as const;
/** Twice the longest wait for a turn: requests that were let in with too little hope run out of time within it. */
const LOAD_SECONDS = { full: 120, quick: 8 } as const;
/** A refusal that comes later was let into the queue first. */
const WAITED_MS = 5000;
const TIMES_CAPACITY = 10;
/** A look costs 30 ms of processor time, which the renders then lack. */
const MEMORY_INTERVAL_MS = 3000;

interface Seen {
  readonly renderedAtMs: number[];
  readonly refusedAfterMs: number[];
  readonly others: string[];
  /** Sent in all; what is none of the above still waited for its turn when the time was over. */
  offered: number;
  readonly memoryBytes: number[];
}

/** The time under load, between what the service could do before and after. */
interface Window {
  readonly capacityPerSecond: number;
  readonly goodputPerSecond: number;
  readonly seen: Seen;
}

export const overload: Scenario = {
  name: "overload",
  title: "Overload",
  about: `The page of 60 cards as PNG, by ${ACCOUNTS.full} accounts. First as fast as the service answers, for its capacity; then for ${LOAD_SECONDS.full} s ${TIMES_CAPACITY} times as many requests, sent on time whatever becomes of those before; then the capacity of a new service. The goodput is held against the mean of both, as a machine that others use changes meanwhile. The longest wait for a turn is a minute: a request that was queued and refused after all counts as refused late.`,
  async run(bench) {
    const { capacityPerSecond, goodputPerSecond, seen } = await measureWindow(bench);
    const { refusedAfterMs, others } = seen;
    return {
      figures: [
        {
          name: "goodput under ten times the load, over capacity",
          value: goodputPerSecond / capacityPerSecond,
          target: { atLeast: 0.95 },
        },
        {
          name: "p95 of a refusal under it, ms",
          value: percentile(refusedAfterMs, 0.95),
          target: { atMost: 100 },
        },
        {
          name: "memory in the last third of it over the middle third",
          value: memoryGrowth(seen.memoryBytes),
          target: { atMost: 1.05 },
        },
        {
          name: "answers under it that were neither a rendering nor a 503 with Retry-After",
          value: others.length,
          target: { atMost: 0 },
        },
      ],
      tables: [
        {
          columns: [
            "capacity/s",
            "goodput/s",
            "offered",
            "refused",
            "refused late",
            "still waiting",
            "refusal median ms",
            "p95 ms",
            "memory MB, each tenth",
          ],
          rows: [toRow({ capacityPerSecond, goodputPerSecond, seen })],
        },
      ],
      remarks: others.length === 0 ? [] : [`Other answers: ${[...new Set(others)].join("; ")}`],
    };
  },
};

async function measureWindow(bench: Bench): Promise<Window> {
  const seconds = bench.quick ? LOAD_SECONDS.quick : LOAD_SECONDS.full;
  const loaded = await start(bench);
  const before = await measureCapacity(bench, loaded);
  bench.say(`${rounded(before)} renders/s; offering ${TIMES_CAPACITY} times that for ${seconds} s`);
  const seen = await offer(bench, loaded, { perSecond: before * TIMES_CAPACITY, seconds });
  // Hundreds of requests may still wait for their turn.
  await loaded.kill();
  const fresh = await start(bench);
  const after = await measureCapacity(bench, fresh);
  await fresh.stop();
  const goodputPerSecond = seen.renderedAtMs.length / seconds;
  return { capacityPerSecond: (before + after) / 2, goodputPerSecond, seen };
}

function start(bench: Bench): Promise<BenchedService> {
  return startService(bench, { accounts: bench.quick ? ACCOUNTS.quick : ACCOUNTS.full });
}

function memoryGrowth(bytes: readonly number[]): number {
  const third = Math.ceil(bytes.length / 3);
  return median(bytes.slice(-third)) / median(bytes.slice(third, -third));
}

function toRow({ capacityPerSecond, goodputPerSecond, seen }: Window): string[] {
  return [
    rounded(capacityPerSecond),
    rounded(goodputPerSecond),
    String(seen.offered),
    String(seen.refusedAfterMs.length),
    String(seen.refusedAfterMs.filter((afterMs) => afterMs > WAITED_MS).length),
    String(seen.offered - seen.renderedAtMs.length - seen.refusedAfterMs.length - seen.others.length),
    rounded(median(seen.refusedAfterMs)),
    rounded(percentile(seen.refusedAfterMs, 0.95)),
    everyTenth(seen.memoryBytes).map(megabytes).join(", "),
  ];
}

async function measureCapacity(bench: Bench, service: BenchedService): Promise<number> {
  const atOnce = 4 * bench.cores;
  const renders = bench.quick ? 24 : 80;
  let account = 0;
  const render = () =>
    fetchExpecting(
      200,
      service.snapUrl(newJob(bench.siteOrigin)),
      service.bearers[account++ % service.bearers.length],
    );
  await inParallel(atOnce, atOnce, render);
  const startedMs = performance.now();
  await inParallel(renders, atOnce, render);
  return (renders * 1000) / (performance.now() - startedMs);
}

/** What happens while the load lasts; what is answered later no longer counts. */
async function offer(
  bench: Bench,
  service: BenchedService,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<Seen> {
  const seen: Seen = { renderedAtMs: [], refusedAfterMs: [], others: [], offered: 0, memoryBytes: [] };
  const startedMs = performance.now();
  let isOver = false;
  const connections = new Connections();
  const ask = async (index: number): Promise<void> => {
    const askedMs = performance.now();
    const { pathname, search, port } = new URL(service.snapUrl(newJob(bench.siteOrigin)));
    const target = { port: Number(port), path: pathname + search };
    const { status, text } = await connections.ask(
      target,
      service.bearers[index % service.bearers.length] ?? {},
    );
    if (isOver) return;
    const nowMs = performance.now();
    if (status === 200) seen.renderedAtMs.push(nowMs - startedMs);
    else if (status === 503 && /retry-after: [1-9]/i.test(text)) seen.refusedAfterMs.push(nowMs - askedMs);
    else seen.others.push(`${status}`);
  };
  const sample = setInterval(
    () => seen.memoryBytes.push(memoryBytes(readTree(service.pid))),
    MEMORY_INTERVAL_MS,
  );
  const requests = Math.round(perSecond * seconds);
  for (let index = 0; index < requests; index += 1) {
    const dueInMs = startedMs + (index * 1000) / perSecond - performance.now();
    if (dueInMs > 0) await sleep(dueInMs);
    seen.offered += 1;
    // The service is stopped with requests still open; those that fail while the load lasts are told.
    ask(index).catch((error: unknown) => {
      if (!isOver) seen.others.push(String(error));
    });
  }
  isOver = true;
  clearInterval(sample);
  connections.close();
  return seen;
}

/** As many as there are requests that wait; each is used again. */
class Connections {
  readonly #all: KeptConnection[] = [];
  readonly #free: KeptConnection[] = [];

  async ask(
    target: Parameters<typeof requestBytes>[0],
    headers: Parameters<typeof requestBytes>[1],
  ): Promise<AnswerHead> {
    const connection = this.#takeFree() ?? this.#open(target.port);
    const answer = await connection.ask(requestBytes(target, headers));
    this.#free.push(connection);
    return answer;
  }

  #takeFree(): KeptConnection | undefined {
    for (let free = this.#free.pop(); free !== undefined; free = this.#free.pop())
      if (free.isOpen) return free;
    return undefined;
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }

  #open(port: number): KeptConnection {
    const connection = new KeptConnection(port);
    this.#all.push(connection);
    return connection;
  }
}

function everyTenth(values: readonly number[]): number[] {
  const step = Math.max(1, Math.ceil(values.length / 10));
  return values.filter((_, index) => index % step === 0);
}
