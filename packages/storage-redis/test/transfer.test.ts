import { describe, expect, it, onTestFinished } from "vitest";
import { createScriptedClient } from "../src/connection/client.ts";
import { createTransfer } from "../src/renderings/transfer.ts";
import { newPrefix, openCache, openPlainClient, useRedis, whenLost, type WatchedCache } from "./redis.ts";
import { startRelay } from "./relay.ts";
import { sampleConsumeRequest, RENDERING_KEY, NOW, sampleRendering } from "./samples.ts";

const getRequest = { ...RENDERING_KEY, now: NOW };
const large = new Uint8Array(10_000_000).fill(7);

function messagesOf({ onError }: WatchedCache): string[] {
  return onError.mock.calls.map(([{ message }]) => message);
}

describe("a large rendering", { tags: ["redis"] }, () => {
  const redis = useRedis();

  it("is transferred in chunks of four mebibytes", async () => {
    const { renderings } = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    await client.configResetStat();
    await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering({ bytes: large }) });
    expect((await renderings.get(getRequest))?.bytes).toHaveLength(10_000_000);
    const statistics = await client.info("commandstats");
    expect(/cmdstat_append:calls=(\d+)/.exec(statistics)?.[1]).toBe("2");
    // three chunks, and the metadata again, to see whether the rendering was replaced
    expect(/cmdstat_getrange:calls=(\d+)/.exec(statistics)?.[1]).toBe("4");
  });

  it("is discarded completely if Redis evicts its first chunk during the transfer", async () => {
    const client = createScriptedClient(redis().url, () => false);
    await client.connect();
    onTestFinished(() => client.destroy());
    const key = `${newPrefix()}staged`;
    let commands = 0;
    const transfer = createTransfer({
      client,
      attempt: (command) => command(),
      async withTimeout(_, command) {
        const result = await command();
        if ((commands += 1) === 1) await client.unlink(key);
        return result;
      },
    });
    const committed = await transfer.write(key, sampleRendering({ bytes: large }), async () => "committed");
    expect(committed).toBeNull();
    expect(await client.get(key)).toBeNull();
  });

  it("is read completely or not at all while it is being replaced", async () => {
    const { renderings } = await openCache({ url: redis().url });
    const { renderings: other } = await openCache({ url: redis().url });
    for (let time = 0; time < 20; time += 1) {
      const rendering = sampleRendering({
        bytes: large.slice().fill(time),
        etag: `"${time}"`,
        storedAt: NOW + time,
      });
      const [found] = await Promise.all([
        renderings.get(getRequest),
        other.put({ ...RENDERING_KEY, rendering }),
      ]);
      const value = Number(found?.etag.slice(1, -1));
      expect(found?.bytes.every((byte) => byte === value) ?? true).toBe(true);
    }
  });

  it("is not cached while the transfer connection cannot be restored, and the failure is reported", async () => {
    const cache = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering({ bytes: large }) });
    await cache.renderings.peek(getRequest);
    // the last command of the transfer connection is a script
    const connections = await client.clientList();
    const id = connections.findLast(({ cmd }) => cmd === "evalsha")?.id ?? 0;
    onTestFinished(async () => void (await client.configSet("maxclients", "10000")));
    await client.configSet("maxclients", "2");
    await client.clientKill({ filter: "ID", id });
    await whenLost(cache);
    expect(messagesOf(cache)).toEqual([
      expect.stringMatching(/^Transfers of renderings to and from Redis at .* are failing: /),
    ]);
    expect(await cache.renderings.get(getRequest)).toBeNull();
    await cache.renderings.put({
      ...RENDERING_KEY,
      rendering: sampleRendering({ bytes: large, etag: '"new"' }),
    });
    expect(await cache.renderings.peek(getRequest)).toBeNull();
    await client.configSet("maxclients", "10000");
    await expect
      .poll(
        async () => {
          await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
          return cache.renderings.get(getRequest);
        },
        { timeout: 20_000 },
      )
      .not.toBeNull();
  });

  it("is abandoned and reported if its transfer stalls, without delaying other commands", async () => {
    const relay = await startRelay(redis().url);
    const cache = await openCache({ url: relay.url, commandTimeoutMs: 200 });
    const direct = await openCache({ url: redis().url, keyPrefix: cache.keyPrefix });
    relay.stallAfter(2_000_000);
    const stored = cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering({ bytes: large }) });
    for (let time = 0; time < 5; time += 1)
      await cache.rateLimiter.consume(sampleConsumeRequest({ limit: 5 }));
    expect((await direct.rateLimiter.consume(sampleConsumeRequest({ limit: 5 }))).allowed).toBe(false);
    await stored;
    expect(await direct.renderings.get(getRequest)).toBeNull();
    expect(messagesOf(cache)).toEqual([expect.stringMatching(/are failing: no response within \d+ ms/)]);
    // applies to the new connection
    relay.stallAfter(Infinity);
    await expect
      .poll(
        async () => {
          await cache.renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
          return direct.renderings.peek(getRequest);
        },
        { timeout: 20_000 },
      )
      .not.toBeNull();
    expect(cache.onError).toHaveBeenCalledTimes(1);
    expect(cache.onRecovered).not.toHaveBeenCalled();
  });
});
