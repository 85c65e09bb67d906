import type { Eviction } from "@snap/engine/ports";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { openCache, openPlainClient, useRedis, type WatchedCache } from "./redis.ts";
import { sampleConsumeRequest, NOW, sampleRendering } from "./samples.ts";

/** Size of a rendering in these tests as counted against the quota, with its overhead. */
const MEBIBYTE = 1024 * 1024;

/** Stores renderings with the keys `0`, `1` and so on, one per millisecond. */
async function putMany({ renderings }: WatchedCache, accountId: string, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await renderings.put({
      accountId,
      key: `${index}`,
      rendering: sampleRendering({ bytes: new Uint8Array(MEBIBYTE - 4096), storedAt: NOW + index }),
    });
}

async function countOf({ renderings }: WatchedCache, accountId: string): Promise<number> {
  const found = await Promise.all(
    Array.from({ length: 100 }, (_, index) => renderings.peek({ accountId, key: `${index}`, now: NOW })),
  );
  return found.filter((metadata) => metadata !== null).length;
}

/** Asserts that two processes share a rate limit. */
async function expectSharedLimit(one: WatchedCache, two: WatchedCache): Promise<void> {
  const consume = async ({ rateLimiter }: WatchedCache): Promise<boolean> =>
    (await rateLimiter.consume(sampleConsumeRequest({ limit: 2 }))).allowed;
  expect([await consume(one), await consume(two), await consume(one), await consume(two)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
}

describe("a Redis whose memory is full", { tags: ["redis"] }, () => {
  const redis = useRedis(["maxmemory 40mb", "maxmemory-policy noeviction"]);
  beforeEach(async () => void (await (await openPlainClient(redis().url)).flushAll()));

  it("evicts from the account above its share to store more, and shares rate limits", async () => {
    const onEvicted = vi.fn<(eviction: Eviction) => void>();
    // the quota exceeds the memory
    const cache = await openCache({ url: redis().url, cacheMaxBytes: 1000 * MEBIBYTE, onEvicted });
    await putMany(cache, "quiet", 5);
    await putMany(cache, "greedy", 60);
    expect(await countOf(cache, "quiet")).toBe(5);
    expect(await countOf(cache, "greedy")).toBeGreaterThan(10);
    expect(await cache.renderings.peek({ accountId: "greedy", key: "59", now: NOW })).not.toBeNull();
    expect(new Set(onEvicted.mock.calls.map(([{ reason, accountId }]) => `${reason} ${accountId}`))).toEqual(
      new Set(["space greedy"]),
    );
    await expectSharedLimit(cache, await openCache({ url: redis().url, keyPrefix: cache.keyPrefix }));
    expect(cache.onError).not.toHaveBeenCalled();
  });

  it("stores nothing while other data fills the memory, and resumes automatically", async () => {
    const onEvicted = vi.fn<(eviction: Eviction) => void>();
    const cache = await openCache({ url: redis().url, cacheMaxBytes: 1000 * MEBIBYTE, onEvicted });
    const client = await openPlainClient(redis().url);
    await putMany(cache, "acct_1", 3);
    await client.configSet("maxmemory", "1kb");
    await putMany(cache, "acct_1", 3);
    expect(await countOf(cache, "acct_1")).toBe(0);
    expect(onEvicted).toHaveBeenLastCalledWith({
      reason: "space",
      accountId: "acct_1",
      renderings: 1,
      bytes: MEBIBYTE,
    });
    expect((await cache.renderings.stats())?.bytes).toBe(0);
    await expectSharedLimit(cache, await openCache({ url: redis().url, keyPrefix: cache.keyPrefix }));
    expect(cache.onError).not.toHaveBeenCalled();
    await client.configSet("maxmemory", "40mb");
    await putMany(cache, "acct_1", 3);
    expect(await countOf(cache, "acct_1")).toBe(3);
  });

  it("limits renderings to 80% of its memory by default", async () => {
    const onEvicted = vi.fn<(eviction: Eviction) => void>();
    const cache = await openCache({ url: redis().url, onEvicted });
    expect(await cache.renderings.stats()).toMatchObject({
      bytes: 0,
      maxBytes: 0.8 * 40 * MEBIBYTE,
      warnings: [],
    });
    await putMany(cache, "acct_1", 40);
    expect(await countOf(cache, "acct_1")).toBe(32);
    expect(new Set(onEvicted.mock.calls.map(([{ reason }]) => reason))).toEqual(new Set(["quota"]));
  });
});

describe("the index of renderings", { tags: ["redis"] }, () => {
  const redis = useRedis();

  it("counts renderings again after Redis has evicted parts of it", async () => {
    const cache = await openCache({ url: redis().url, cacheMaxBytes: 5.5 * MEBIBYTE });
    const client = await openPlainClient(redis().url);
    for (const part of ["cache:entries", "cache:ages:acct_1"]) {
      await putMany(cache, "acct_1", 5);
      await client.unlink(`${cache.keyPrefix}${part}`);
      await putMany(cache, "acct_2", 20);
      expect(await countOf(cache, "acct_2")).toBe(5);
      expect((await cache.renderings.stats())?.bytes).toBe(5 * MEBIBYTE);
      for (let index = 0; index < 100; index += 1)
        await cache.renderings.delete({ accountId: "acct_2", key: `${index}` });
    }
  });

  it("is not needed to find renderings, which an older release may have stored without it", async () => {
    const cache = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    const name = { accountId: "acct_1", key: "0f1e" };
    await cache.renderings.put({ ...name, rendering: sampleRendering() });
    const parts = ["entries", "total", "accounts", "expiries", "ages:acct_1"];
    await client.unlink(parts.map((part) => `${cache.keyPrefix}cache:${part}`));
    expect((await cache.renderings.get({ ...name, now: NOW }))?.bytes).toHaveLength(6);
    await cache.renderings.put({ ...name, rendering: sampleRendering() });
    expect((await cache.renderings.stats())?.bytes).toBe(4102);
  });

  it.each([
    ["allkeys-lru", "renderings of any account, and the index that counts them"],
    ["volatile-ttl", "rate limits and render leases"],
  ])("has stats that warn of the eviction policy %s and a missing limit", async (policy, evicted) => {
    const client = await openPlainClient(redis().url);
    await client.configSet("maxmemory-policy", policy);
    const cache = await openCache({ url: redis().url });
    const stats = await cache.renderings.stats();
    expect(stats?.warnings).toEqual([
      {
        message: "Redis has no memory limit",
        code: "redis_maxmemory",
        advice:
          "set maxmemory, for example `redis-cli config set maxmemory 1gb`, and maxmemory-policy noeviction; put both into redis.conf",
      },
      {
        message: `with maxmemory-policy ${policy}, Redis evicts ${evicted}`,
        code: "redis_policy",
        advice: "run `redis-cli config set maxmemory-policy noeviction`, and put it into redis.conf",
      },
    ]);
    expect(stats?.freeBytes).toBeNull();
  });
});
