import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createKeyvRenderings } from "../src/index.ts";
import { openCache, openPlainClient, useRedis } from "./redis.ts";
import { NAME, NOW, sampleRendering } from "./samples.ts";

const KEY = 'rendering:["acct_1","0f1e"]';

describe("renderings in Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();

  it.each([
    ["every value of a byte", Uint8Array.from({ length: 256 }, (_, value) => value)],
    ["no byte", new Uint8Array(0)],
    ["line ends", new TextEncoder().encode("\r\n$5\r\nhello\r\n")],
    ["5 MB", new Uint8Array(randomBytes(5_000_000))],
  ])("keep %s as they are", async (_, bytes) => {
    const { renderings } = await openCache({ url: redis().url });
    await renderings.put({ ...NAME, rendering: sampleRendering({ bytes }) });
    const found = await renderings.get({ ...NAME, now: NOW });
    expect(Buffer.compare(found?.bytes ?? Buffer.from("none"), bytes)).toBe(0);
  });

  it("hold no more memory than their bytes", async () => {
    const { renderings } = await openCache({ url: redis().url });
    await renderings.put({ ...NAME, rendering: sampleRendering() });
    const found = await renderings.get({ ...NAME, now: NOW });
    expect(found?.bytes.buffer.byteLength).toBe(4);
  });

  it("are looked at without their bytes", async () => {
    const { renderings } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    const notes = ["a note of 2,000 characters: ".padEnd(2000, "é")];
    for (const rendering of [
      sampleRendering({ bytes: new Uint8Array(100_000) }),
      sampleRendering({ bytes: new Uint8Array(100_000), notes }),
    ]) {
      await renderings.put({ ...NAME, rendering });
      await client.configResetStat();
      const { bytes: _, ...description } = rendering;
      expect(await renderings.peek({ ...NAME, now: NOW })).toEqual(description);
      const statistics = await client.info("commandstats");
      expect(statistics).toContain("cmdstat_getrange:");
      expect(statistics).not.toContain("cmdstat_get:");
    }
  });

  it("are kept as one value, and for a minute longer than they live", async () => {
    const { renderings, keyPrefix } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    for (const lifeMs of [-1000, 0, 1, 86_400_000]) {
      await renderings.put({ ...NAME, rendering: sampleRendering({ expiresAt: NOW + lifeMs }) });
      const leftMs = await client.pTTL(keyPrefix + KEY);
      expect(leftMs).toBeGreaterThan(Math.max(0, lifeMs));
      expect(leftMs).toBeLessThanOrEqual(Math.max(0, lifeMs) + 60_000);
    }
    const keys = await client.keys(`${keyPrefix}*`);
    expect(keys.filter((key) => key !== `${keyPrefix}probe`)).toEqual([keyPrefix + KEY]);
  });

  it.each([
    ["nothing", ""],
    ["another layout", "\x02\0\0\0\x02{}"],
    ["a description cut short", "\x01\0\0\0\x09{}"],
    ["a description that is none", "\x01\0\0\0\x02{]"],
    ["a length without end", "\x01\xff\xff\xff\xff{}"],
  ])("are a miss when there is %s", async (_, text) => {
    const { renderings, keyPrefix } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    await client.set(keyPrefix + KEY, Buffer.from(text, "latin1"));
    expect(await renderings.get({ ...NAME, now: NOW })).toBeNull();
    expect(await renderings.peek({ ...NAME, now: NOW })).toBeNull();
  });
});

describe("createKeyvRenderings", () => {
  it("says what to do about a store that makes text of bytes", async () => {
    const texts = new Map<string, string>();
    const renderings = createKeyvRenderings({
      store: {
        get: (key) => texts.get(key),
        set: (key, value) => texts.set(key, String(value)),
        delete: (key) => texts.delete(key),
      },
    });
    await renderings.put({ ...NAME, rendering: sampleRendering() });
    await expect(renderings.get({ ...NAME, now: NOW })).rejects.toThrow("hand in `new Keyv(store)`");
  });

  it("tells the store for how long a rendering lives, and a minute more", async () => {
    const lives: unknown[] = [];
    const renderings = createKeyvRenderings({
      store: { get: () => null, set: (_, __, ttlMs) => lives.push(ttlMs), delete: () => true },
    });
    await renderings.put({ ...NAME, rendering: sampleRendering({ expiresAt: NOW + 5000 }) });
    expect(lives).toEqual([65_000]);
  });

  it("rejects as the store does", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("broken");
    };
    const renderings = createKeyvRenderings({ store: { get: fail, set: fail, delete: fail } });
    await expect(renderings.get({ ...NAME, now: NOW })).rejects.toThrow("broken");
    await expect(renderings.put({ ...NAME, rendering: sampleRendering() })).rejects.toThrow("broken");
    await expect(renderings.delete(NAME)).rejects.toThrow("broken");
  });
});
