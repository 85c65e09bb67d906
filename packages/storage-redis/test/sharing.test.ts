import { describe, expect, it } from "vitest";
import { createKeyvRenderings } from "../src/index.ts";
import { newPrefix, openCache, openPlainClient, useRedis, type WatchedCache } from "./redis.ts";
import { NAME, NOW, sampleRendering, spend } from "./samples.ts";

describe("two processes over one Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();

  async function openTwo(): Promise<[WatchedCache, WatchedCache]> {
    const options = { url: redis().url, keyPrefix: newPrefix() };
    return Promise.all([openCache(options), openCache(options)]);
  }

  it("spend one budget: of 50 at once exactly 20 pass", async () => {
    const [one, two] = await openTwo();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? one : two).budgets.spend(spend())),
    );
    const remaining = outcomes.filter(({ allowed }) => allowed).map((outcome) => outcome.remaining);
    expect(remaining.toSorted((a, b) => b - a)).toEqual([
      19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
    ]);
  });

  it("have one window, also when their clocks differ", async () => {
    const [one, two] = await openTwo();
    await one.budgets.spend(spend({ limit: 2 }));
    const second = await two.budgets.spend(spend({ limit: 2, now: NOW - 5000 }));
    expect(second).toEqual({ allowed: true, remaining: 0, resetsAt: NOW + 60_000 });
    const third = await two.budgets.spend(spend({ limit: 2, now: NOW + 59_999 }));
    expect(third).toEqual({ allowed: false, remaining: 0, resetsAt: NOW + 60_000 });
  });

  it("send a command for each spend, the script once", async () => {
    const [one, two] = await openTwo();
    const client = await openPlainClient(redis().url);
    await client.scriptFlush();
    await client.configResetStat();
    await one.budgets.spend(spend());
    for (let again = 0; again < 9; again += 1) await two.budgets.spend(spend());
    const statistics = await client.info("commandstats");
    expect(/cmdstat_eval:calls=(\d+)/.exec(statistics)?.[1]).toBe("1");
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1]).toBe("10");
  });

  it("see at once what the other kept and deleted", async () => {
    const [one, two] = await openTwo();
    await one.renderings.put({ ...NAME, rendering: sampleRendering() });
    expect((await two.renderings.get({ ...NAME, now: NOW }))?.etag).toBe('"9f86d081"');
    await two.renderings.delete(NAME);
    expect(await one.renderings.peek({ ...NAME, now: NOW })).toBeNull();
  });

  it("take a flight one at a time", async () => {
    const [one, two] = await openTwo();
    const claim = { name: "flight", leaseMs: 60_000 };
    expect(await one.flights.take({ ...claim, holder: "one" })).toBe(true);
    expect(await two.flights.take({ ...claim, holder: "two" })).toBe(false);
    await two.flights.end({ name: "flight", holder: "two", lingerMs: 0 });
    expect(await two.flights.take({ ...claim, holder: "two" })).toBe(false);
    await one.flights.end({ name: "flight", holder: "one", lingerMs: 0 });
    expect(await two.flights.take({ ...claim, holder: "two" })).toBe(true);
  });

  it("board one at a time, in one command, and one spends", async () => {
    const [one, two] = await openTwo();
    const client = await openPlainClient(redis().url);
    const boarding = { name: "flight", leaseMs: 60_000, unlessKept: NAME, spend: spend() };
    await client.configResetStat();
    const states = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const { flights } = index % 2 === 0 ? one : two;
        return (await flights.board({ ...boarding, holder: `${index}` })).state;
      }),
    );
    const statistics = await client.info("commandstats");
    expect(states.filter((state) => state === "boarded")).toHaveLength(1);
    expect(states.filter((state) => state === "held")).toHaveLength(49);
    expect((await two.budgets.spend(spend())).remaining).toBe(18);
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1]).toBe("50");
  });

  it("ask for a rendering and for leave to make it in one round trip, and so when it is there", async () => {
    const [one] = await openTwo();
    const client = await openPlainClient(redis().url);
    const boarding = { name: "flight", leaseMs: 60_000, unlessKept: NAME, spend: spend() };
    const look = (holder: string) =>
      Promise.all([one.renderings.get({ ...NAME, now: NOW }), one.flights.board({ ...boarding, holder })]);
    // The scripts are sent whole the first time.
    await look("a");
    await one.flights.end({ name: "flight", holder: "a", lingerMs: 0 });
    await client.ping();
    const before = await readsOf(client);
    const [, { state }] = await look("b");
    expect((await readsOf(client)) - before).toBe(2);
    expect(state).toBe("boarded");
    await Promise.all([
      one.renderings.put({ ...NAME, rendering: sampleRendering() }),
      one.flights.end({ name: "flight", holder: "b", lingerMs: 1000 }),
    ]);
    // The look at the figures is one, too.
    expect((await readsOf(client)) - before).toBe(4);
    expect((await look("c"))[1]).toEqual({ state: "kept" });
  });

  it("board where renderings are kept elsewhere, unless one is kept there", async () => {
    const renderings = createKeyvRenderings({ store: new Map() });
    const cache = await openCache({ url: redis().url, renderings });
    expect(cache.renderings).toBe(renderings);
    const boarding = { name: "flight", leaseMs: 60_000, spend: spend() };
    await renderings.put({ ...NAME, rendering: sampleRendering() });
    const board = (unlessKept: typeof NAME | null) =>
      cache.flights.board({ ...boarding, holder: "a", unlessKept });
    expect(await board(NAME)).toEqual({ state: "kept" });
    expect((await board(null)).state).toBe("boarded");
    await renderings.delete(NAME);
    expect(await board(NAME)).toMatchObject({ state: "boarded", spent: { remaining: 18 } });
  });

  it("keep apart what they keep under different prefixes", async () => {
    const [one, two] = [await openCache({ url: redis().url }), await openCache({ url: redis().url })];
    await one.renderings.put({ ...NAME, rendering: sampleRendering() });
    await one.budgets.spend(spend({ limit: 1 }));
    await one.flights.take({ name: "flight", holder: "one", leaseMs: 60_000 });
    expect(await two.renderings.get({ ...NAME, now: NOW })).toBeNull();
    expect((await two.budgets.spend(spend({ limit: 1 }))).allowed).toBe(true);
    expect(await two.flights.take({ name: "flight", holder: "two", leaseMs: 60_000 })).toBe(true);
  });
});

/** How often Redis has read from a connection. */
async function readsOf(client: Awaited<ReturnType<typeof openPlainClient>>): Promise<number> {
  return Number(/total_reads_processed:(\d+)/.exec(await client.info("stats"))?.[1]);
}
