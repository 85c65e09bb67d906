import { describe, expect, it } from "vitest";
import { newPrefix, openCache, openPlainClient, useRedis, type WatchedCache } from "./redis.ts";
import { sampleConsumeRequest, RENDERING_KEY, NOW, sampleRendering } from "./samples.ts";

describe("two processes with one Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();

  async function openTwo(): Promise<[WatchedCache, WatchedCache]> {
    const options = { url: redis().url, keyPrefix: newPrefix() };
    return Promise.all([openCache(options), openCache(options)]);
  }

  it("share a rate limit: exactly 20 of 50 concurrent requests are allowed", async () => {
    const [one, two] = await openTwo();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 === 0 ? one : two).rateLimiter.consume(sampleConsumeRequest()),
      ),
    );
    const remaining = outcomes.filter(({ allowed }) => allowed).map((outcome) => outcome.remaining);
    expect(remaining.toSorted((a, b) => b - a)).toEqual([
      19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
    ]);
  });

  it("share one window even if their clocks differ", async () => {
    const [one, two] = await openTwo();
    await one.rateLimiter.consume(sampleConsumeRequest({ limit: 2 }));
    const second = await two.rateLimiter.consume(sampleConsumeRequest({ limit: 2, now: NOW - 5000 }));
    expect(second).toEqual({ allowed: true, remaining: 0, resetsAt: NOW + 55_000 });
    const third = await one.rateLimiter.consume(sampleConsumeRequest({ limit: 2, now: NOW + 54_999 }));
    expect(third).toEqual({ allowed: false, remaining: 0, resetsAt: NOW + 55_000 });
  });

  it("send one command per request, and the script once", async () => {
    const [one, two] = await openTwo();
    const client = await openPlainClient(redis().url);
    await client.scriptFlush();
    await client.configResetStat();
    await one.rateLimiter.consume(sampleConsumeRequest());
    for (let again = 0; again < 9; again += 1) await two.rateLimiter.consume(sampleConsumeRequest());
    const statistics = await client.info("commandstats");
    expect(/cmdstat_eval:calls=(\d+)/.exec(statistics)?.[1]).toBe("1");
    expect(/cmdstat_evalsha:calls=(\d+)/.exec(statistics)?.[1]).toBe("10");
  });

  it("see each other's stored and deleted renderings immediately", async () => {
    const [one, two] = await openTwo();
    await one.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    expect((await two.renderings.get({ ...RENDERING_KEY, now: NOW }))?.etag).toBe('"9f86d081"');
    await two.renderings.delete(RENDERING_KEY);
    expect(await one.renderings.peek({ ...RENDERING_KEY, now: NOW })).toBeNull();
  });

  it("never hold a lease at the same time, and notice a raised priority", async () => {
    const [one, two] = await openTwo();
    const byOne = { name: "lease", holder: "one", leaseMs: 60_000, priority: "batch" } as const;
    const byTwo = { ...byOne, holder: "two" };
    expect(await one.renderLeases.acquire(byOne)).toBe("acquired");
    expect(await two.renderLeases.acquire(byTwo)).toBe("held");
    expect(await two.renderLeases.acquire({ ...byTwo, priority: "interactive" })).toBe("held");
    expect(await one.renderLeases.acquire(byOne)).toBe("raised");
    await two.renderLeases.release({ name: "lease", holder: "two", lingerMs: 0 });
    expect(await two.renderLeases.acquire(byTwo)).toBe("held");
    await one.renderLeases.release({ name: "lease", holder: "one", lingerMs: 0 });
    expect(await two.renderLeases.acquire(byTwo)).toBe("acquired");
  });

  it("are isolated by different prefixes", async () => {
    const [one, two] = [await openCache({ url: redis().url }), await openCache({ url: redis().url })];
    await one.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    await one.rateLimiter.consume(sampleConsumeRequest({ limit: 1 }));
    const claim = { name: "lease", leaseMs: 60_000, priority: "batch" } as const;
    await one.renderLeases.acquire({ ...claim, holder: "one" });
    expect(await two.renderings.get({ ...RENDERING_KEY, now: NOW })).toBeNull();
    expect((await two.rateLimiter.consume(sampleConsumeRequest({ limit: 1 }))).allowed).toBe(true);
    expect(await two.renderLeases.acquire({ ...claim, holder: "two" })).toBe("acquired");
  });
});
