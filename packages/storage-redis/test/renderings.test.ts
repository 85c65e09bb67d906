import { describe, expect, it } from "vitest";
import { createKeyvRenderings } from "../src/index.ts";
import { openCache, openPlainClient, useRedis } from "./redis.ts";
import { RENDERING_KEY, NOW, sampleRendering } from "./samples.ts";

const KEY = 'rendering:["acct_1","0f1e"]';

describe("renderings in Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();

  it.each([
    ["every byte value", Uint8Array.from({ length: 256 }, (_, value) => value)],
    ["line breaks", new TextEncoder().encode("\r\n$5\r\nhello\r\n")],
  ])("preserve %s", async (_, bytes) => {
    const { renderings } = await openCache({ url: redis().url });
    await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering({ bytes }) });
    const found = await renderings.get({ ...RENDERING_KEY, now: NOW });
    expect(Buffer.compare(found?.bytes ?? Buffer.from("none"), bytes)).toBe(0);
  });

  it("are read into buffers no larger than their bytes", async () => {
    const { renderings } = await openCache({ url: redis().url });
    await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    const found = await renderings.get({ ...RENDERING_KEY, now: NOW });
    expect(found?.bytes.buffer.byteLength).toBe(6);
  });

  it("can be read without their bytes", async () => {
    const { renderings } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    const notes = ["a note of 2,000 characters: ".padEnd(2000, "é")];
    for (const rendering of [
      sampleRendering({ bytes: new Uint8Array(100_000) }),
      sampleRendering({ bytes: new Uint8Array(100_000), notes }),
    ]) {
      await renderings.put({ ...RENDERING_KEY, rendering });
      await client.configResetStat();
      const { bytes: _, ...metadata } = rendering;
      expect(await renderings.peek({ ...RENDERING_KEY, now: NOW })).toEqual(metadata);
      const statistics = await client.info("commandstats");
      expect(statistics).toContain("cmdstat_getrange:");
      expect(statistics).not.toContain("cmdstat_get:");
    }
  });

  it("are stored in one round trip, in parallel with the release of their lease", async () => {
    const { renderings, renderLeases } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    const claim = { name: "lease", holder: "a" };
    // scripts are sent in full the first time, and Redis's memory is read once
    await renderLeases.release({ ...claim, lingerMs: 0 });
    await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    await client.ping();
    const before = await countReads(client);
    const stored = renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    await Promise.all([stored, renderLeases.release({ ...claim, lingerMs: 1000 })]);
    // one read on each of the cache's connections, and one for the INFO command
    expect((await countReads(client)) - before).toBe(3);
  });

  it("are stored as one value each, deleted a minute after they expire, and listed in the index", async () => {
    const { renderings, keyPrefix } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    for (const ttlMs of [-1000, 0, 1, 86_400_000]) {
      await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering({ expiresAt: NOW + ttlMs }) });
      const leftMs = await client.pTTL(keyPrefix + KEY);
      expect(leftMs).toBeGreaterThan(Math.max(0, ttlMs));
      expect(leftMs).toBeLessThanOrEqual(Math.max(0, ttlMs) + 60_000);
    }
    const keys = await client.keys(`${keyPrefix}*`);
    const names = keys.map((key) => key.slice(keyPrefix.length)).filter((key) => key !== "probe");
    expect(names.toSorted()).toEqual([
      "cache:accounts",
      "cache:ages:acct_1",
      "cache:entries",
      "cache:expiries",
      "cache:total",
      KEY,
    ]);
  });

  it.each([
    ["nothing", ""],
    ["an unknown layout version", "\x02\0\0\0\x02{}"],
    ["incomplete metadata", "\x01\0\0\0\x09{}"],
    ["malformed metadata", "\x01\0\0\0\x02{]"],
    ["an excessive length", "\x01\xff\xff\xff\xff{}"],
  ])("are a cache miss if the value contains %s", async (_, text) => {
    const { renderings, keyPrefix } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    await client.set(keyPrefix + KEY, Buffer.from(text, "latin1"));
    expect(await renderings.get({ ...RENDERING_KEY, now: NOW })).toBeNull();
    expect(await renderings.peek({ ...RENDERING_KEY, now: NOW })).toBeNull();
  });
});

/** Returns how many times Redis has read from a connection. */
async function countReads(client: Awaited<ReturnType<typeof openPlainClient>>): Promise<number> {
  return Number(/total_reads_processed:(\d+)/.exec(await client.info("stats"))?.[1]);
}

describe("createKeyvRenderings", () => {
  it("explains what to do if a store converts bytes to text", async () => {
    const texts = new Map<string, string>();
    const renderings = createKeyvRenderings({
      store: {
        get: (key) => texts.get(key),
        set: (key, value) => texts.set(key, String(value)),
        delete: (key) => texts.delete(key),
        keys: () => texts.keys(),
      },
    });
    await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    await expect(renderings.get({ ...RENDERING_KEY, now: NOW })).rejects.toThrow(
      "The Keyv store does not preserve bytes; wrap it in `new Keyv({ store })`, and pass Keyv's `iterator` as `keys`.",
    );
  });

  it("passes a time to live that ends a minute after the rendering expires", async () => {
    const ttls: unknown[] = [];
    const renderings = createKeyvRenderings({
      store: { get: () => null, set: (_, __, ttlMs) => ttls.push(ttlMs), delete: () => true, keys: () => [] },
    });
    await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering({ expiresAt: NOW + 5000 }) });
    expect(ttls).toEqual([65_000]);
  });

  it("does not keep a rendering that is being stored while its account is deleted", async () => {
    const values = new Map<string, unknown>();
    const [arriving, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const renderings = createKeyvRenderings({
      store: {
        get: (key) => values.get(key),
        async set(key, value) {
          if (key.includes("rendering:")) {
            arriving.resolve();
            await arrived.promise;
          }
          values.set(key, value);
        },
        delete: (key) => values.delete(key),
        keys: () => values.keys(),
      },
    });
    const stored = renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
    await arriving.promise;
    expect(await renderings.deleteAccount({ accountId: RENDERING_KEY.accountId, now: NOW })).toBe(0);
    arrived.resolve();
    await stored;
    expect(await renderings.get({ ...RENDERING_KEY, now: NOW })).toBeNull();
  });

  it("rejects with the store's errors", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("broken");
    };
    const renderings = createKeyvRenderings({
      store: { get: fail, set: fail, delete: fail, keys: () => [] },
    });
    await expect(renderings.get({ ...RENDERING_KEY, now: NOW })).rejects.toThrow("broken");
    await expect(renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() })).rejects.toThrow(
      "broken",
    );
    await expect(renderings.delete(RENDERING_KEY)).rejects.toThrow("broken");
  });
});
