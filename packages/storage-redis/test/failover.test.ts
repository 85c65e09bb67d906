import { describe, expect, it } from "vitest";
import { openCache, openPlainClient, useRedis, whenBack, whenLost, type WatchedCache } from "./redis.ts";
import { startRelay } from "./relay.ts";
import { sampleConsumeRequest, RENDERING_KEY, NOW, sampleRendering } from "./samples.ts";

const getRequest = { ...RENDERING_KEY, now: NOW };

function messagesOf({ onError }: WatchedCache): string[] {
  return onError.mock.calls.map(([{ message }]) => message);
}

async function demote(url: string, primary: string): Promise<void> {
  const client = await openPlainClient(url);
  const { hostname, port } = new URL(primary);
  await client.sendCommand(["REPLICAOF", hostname, port]);
}

async function promote(url: string): Promise<void> {
  const client = await openPlainClient(url);
  await client.sendCommand(["REPLICAOF", "NO", "ONE"]);
}

describe("a failover", { tags: ["redis"] }, () => {
  const first = useRedis();
  const second = useRedis();

  it("is noticed when a request is counted, and the cache then uses the new primary at the same address", async () => {
    const relay = await startRelay(first().url);
    const cache = await openCache({ url: relay.url });
    await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    await demote(first().url, second().url);
    relay.switchTo(second().url);
    await cache.rateLimiter.consume(sampleConsumeRequest());
    await whenBack(cache);
    expect(messagesOf(cache)).toEqual([expect.stringContaining("is unavailable: READONLY")]);

    const direct = await openCache({ url: second().url, keyPrefix: cache.keyPrefix });
    await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering({ etag: '"new"' }) });
    expect((await direct.renderings.get(getRequest))?.etag).toBe('"new"');
    await cache.rateLimiter.consume(sampleConsumeRequest({ limit: 1 }));
    expect((await direct.rateLimiter.consume(sampleConsumeRequest({ limit: 1 }))).allowed).toBe(false);
    await promote(first().url);
  });

  it("is also noticed when a rendering is stored", async () => {
    const relay = await startRelay(first().url);
    const cache = await openCache({ url: relay.url });
    await demote(first().url, second().url);
    relay.switchTo(second().url);
    await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    await whenBack(cache);
    await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    expect((await cache.renderings.get(getRequest))?.etag).toBe('"9f86d081"');
    await promote(first().url);
  });

  it("ends when the server is promoted again", async () => {
    const cache = await openCache({ url: first().url });
    await demote(first().url, second().url);
    await cache.rateLimiter.consume(sampleConsumeRequest());
    await whenLost(cache);
    await promote(first().url);
    await whenBack(cache);
    await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    expect((await cache.renderings.get(getRequest))?.etag).toBe('"9f86d081"');
  });

  it("is noticed when reading from a replica that has lost its primary", async () => {
    const client = await openPlainClient(first().url);
    await client.configSet("replica-serve-stale-data", "no");
    const relay = await startRelay(first().url);
    const cache = await openCache({ url: relay.url });
    // nothing listens there
    await demote(first().url, "redis://127.0.0.1:1");
    relay.switchTo(second().url);
    expect(await cache.renderings.peek(getRequest)).toBeNull();
    await whenBack(cache);
    expect(messagesOf(cache)).toEqual([expect.stringContaining("is unavailable: MASTERDOWN")]);
    await client.configSet("replica-serve-stale-data", "yes");
    await promote(first().url);
  });

  it("is noticed on opening", async () => {
    await demote(first().url, second().url);
    const relay = await startRelay(first().url);
    const cache = await openCache({ url: relay.url });
    expect(messagesOf(cache)).toEqual([expect.stringContaining("is unavailable: READONLY")]);
    relay.switchTo(second().url);
    await whenBack(cache);
    await promote(first().url);
  });
});
