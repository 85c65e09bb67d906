import { describe, expect, it } from "vitest";
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

  it("take a flight one at a time, and hear of those in a hurry", async () => {
    const [one, two] = await openTwo();
    const byOne = { name: "flight", holder: "one", leaseMs: 60_000, urgency: "batch" } as const;
    const byTwo = { ...byOne, holder: "two" };
    expect(await one.flights.take(byOne)).toBe("taken");
    expect(await two.flights.take(byTwo)).toBe("held");
    expect(await two.flights.take({ ...byTwo, urgency: "interactive" })).toBe("held");
    expect(await one.flights.take(byOne)).toBe("hurried");
    await two.flights.end({ name: "flight", holder: "two", lingerMs: 0 });
    expect(await two.flights.take(byTwo)).toBe("held");
    await one.flights.end({ name: "flight", holder: "one", lingerMs: 0 });
    expect(await two.flights.take(byTwo)).toBe("taken");
  });

  it("keep a rendering and end its flight in one round trip", async () => {
    const [one] = await openTwo();
    const client = await openPlainClient(redis().url);
    const claim = { name: "flight", holder: "a" };
    // The scripts are sent whole the first time.
    await one.flights.end({ ...claim, lingerMs: 0 });
    await client.ping();
    const before = await readsOf(client);
    const kept = one.renderings.put({ ...NAME, rendering: sampleRendering() });
    await Promise.all([kept, one.flights.end({ ...claim, lingerMs: 1000 })]);
    // The look at the figures is one, too.
    expect((await readsOf(client)) - before).toBe(2);
  });

  it("keep apart what they keep under different prefixes", async () => {
    const [one, two] = [await openCache({ url: redis().url }), await openCache({ url: redis().url })];
    await one.renderings.put({ ...NAME, rendering: sampleRendering() });
    await one.budgets.spend(spend({ limit: 1 }));
    const claim = { name: "flight", leaseMs: 60_000, urgency: "batch" } as const;
    await one.flights.take({ ...claim, holder: "one" });
    expect(await two.renderings.get({ ...NAME, now: NOW })).toBeNull();
    expect((await two.budgets.spend(spend({ limit: 1 }))).allowed).toBe(true);
    expect(await two.flights.take({ ...claim, holder: "two" })).toBe("taken");
  });
});

/** How often Redis has read from a connection. */
async function readsOf(client: Awaited<ReturnType<typeof openPlainClient>>): Promise<number> {
  return Number(/total_reads_processed:(\d+)/.exec(await client.info("stats"))?.[1]);
}
