import type * as LruCache from "lru-cache";
import { describe, expect, it, vi } from "vitest";
import { explain } from "./explain.ts";
import { simulate, type SimulationOptions } from "./simulate.ts";

/*
 * Simulates the whole engine. Each seed is a history of several processes with their own clocks and a shared storage:
 * clients send captures and batches, calls fail or arrive late, processes are suspended, stopped and killed. The rules
 * are mostly in check-*.ts and recorded-*.ts: each credit, batch and webhook must be accounted for.
 *
 * SIMULATION_SEED=123 runs one seed and prints its trace. SIMULATION_SEEDS=100000 runs that many seeds.
 */

// the engine adapts to the number of cores, but a seed must have the same history on every machine
vi.mock("node:os", async (original) => ({ ...(await original<object>()), availableParallelism: () => 2 }));

// during a real turn of the event loop, the timeline could advance; this one ends before that
vi.mock("node:timers/promises", async (original) => ({
  ...(await original<object>()),
  setImmediate: async () => {},
}));

// allocating the cache of 2,000 parsed queries would take a third of a simulation's time
vi.mock("lru-cache", async (original) => {
  const { LRUCache } = await original<typeof LruCache>();
  class SmallCache extends LRUCache<object, object> {
    constructor(options: LruCache.LRUCache.Options<object, object, unknown>) {
      super(Object.assign(options, { max: Math.min(options.max ?? 0, 20) }));
    }
  }
  return { LRUCache: SmallCache };
});

// stack traces are slow, and most errors are expected
Error.stackTraceLimit = 0;

const onlySeed = process.env["SIMULATION_SEED"];
const seedCount = Number(process.env["SIMULATION_SEEDS"] ?? 1_000);

describe("the engine", () => {
  it.skipIf(onlySeed)(`breaks no rule in ${seedCount} simulations`, { timeout: 0 }, async () => {
    const failingSeed = await findFailingSeed(seedCount);
    expect(failingSeed === null ? "" : await explain(failingSeed)).toBe("");
  });

  it.runIf(onlySeed)(`breaks no rule in simulation ${onlySeed}`, async () => {
    const trace: string[] = [];
    const violation = await simulate(Number(onlySeed), { trace });
    console.log(trace.join("\n"));
    expect(violation).toBeNull();
  });
});

/** Returns the first seed whose simulation breaks a rule; `null` if none does. */
async function findFailingSeed(count: number, options?: SimulationOptions): Promise<number | null> {
  for (let seed = 0; seed < count; seed += 1) if ((await simulate(seed, options)) !== null) return seed;
  return null;
}

describe("a simulation", () => {
  it("has the same history when repeated", async () => {
    const traces: string[][] = [[], []];
    for (const trace of traces) await simulate(4, { trace });
    expect(traces[0]).not.toEqual([]);
    expect(traces[1]).toEqual(traces[0]);
  });

  it.each<readonly [string, NonNullable<SimulationOptions["plantBug"]>]>([
    ["refunds", ({ ledger }) => ({ ledger: { ...ledger, refund: async () => "refunded" } })],
    ["settlements", ({ ledger }) => ({ ledger: { ...ledger, settle: async () => "settled" } })],
    ["reversals", ({ ledger }) => ({ ledger: { ...ledger, reverse: async () => "reversed" } })],
    [
      "most of each rate limit's minute",
      ({ rateLimiter }) => ({
        rateLimiter: {
          ...rateLimiter,
          consume: (request) => rateLimiter.consume({ ...request, windowMs: 5_000 }),
        },
      }),
    ],
    [
      "who owns a rendering",
      ({ renderings }) => ({
        renderings: {
          ...renderings,
          get: (request) => renderings.get({ ...request, accountId: "" }),
          put: (request) => renderings.put({ ...request, accountId: "" }),
        },
      }),
    ],
    [
      "that it has added totals",
      ({ history }) => ({
        history: {
          ...history,
          async append(request) {
            await history.append(request);
            await history.append({ ...request, entries: [] });
          },
        },
      }),
    ],
  ])("finds a storage that forgets %s", async (_forgotten, plantBug) => {
    expect(await findFailingSeed(2000, { plantBug })).not.toBeNull();
  });
});
