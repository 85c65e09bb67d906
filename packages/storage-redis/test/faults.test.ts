import { once } from "node:events";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openRedisCache } from "../src/index.ts";
import { openCache, openPlainClient, useRedis, whenBack, whenLost, type WatchedCache } from "./redis.ts";
import { sampleConsumeRequest, RENDERING_KEY, NOW, sampleRendering } from "./samples.ts";

const getRequest = { ...RENDERING_KEY, now: NOW };
/** Short, because the tests wait for it. */
const commandTimeoutMs = 200;

/** Asserts the results without Redis: rate limits are still counted. */
async function expectLocal(
  { renderings, rateLimiter, renderLeases }: WatchedCache,
  accountId: string,
): Promise<void> {
  await renderings.put({ ...RENDERING_KEY, accountId, rendering: sampleRendering() });
  expect(await renderings.get({ ...getRequest, accountId })).toBeNull();
  expect(await renderings.peek({ ...getRequest, accountId })).toBeNull();
  await renderings.delete({ ...RENDERING_KEY, accountId });
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, () => rateLimiter.consume(sampleConsumeRequest({ accountId }))),
  );
  expect(outcomes.filter(({ allowed }) => allowed)).toHaveLength(20);
  const claim = { name: accountId, leaseMs: 60_000, priority: "batch" } as const;
  for (const holder of ["a", "b"]) expect(await renderLeases.acquire({ ...claim, holder })).toBe("acquired");
  await renderLeases.release({ name: accountId, holder: "a", lingerMs: 1000 });
}

async function expectShared({ renderings, renderLeases }: WatchedCache): Promise<void> {
  await renderings.put({ ...RENDERING_KEY, rendering: sampleRendering() });
  expect((await renderings.get(getRequest))?.etag).toBe('"9f86d081"');
  const claim = { name: "shared", leaseMs: 60_000, priority: "batch" } as const;
  expect(await renderLeases.acquire({ ...claim, holder: "a" })).toBe("acquired");
  expect(await renderLeases.acquire({ ...claim, holder: "b" })).toBe("held");
}

describe("an unavailable Redis", { tags: ["redis"] }, () => {
  const redis = useRedis();

  it("is reported once while calls continue, and is used again when it is back", async () => {
    const cache = await openCache({ url: redis().url });
    const work = Array.from({ length: 300 }, async (_, index) => {
      const name = { accountId: "acct_1", key: `${index}` };
      await cache.renderings.put({ ...name, rendering: sampleRendering({ bytes: new Uint8Array(50_000) }) });
      await cache.rateLimiter.consume(sampleConsumeRequest({ accountId: `${index}` }));
      return cache.renderings.get({ ...name, now: NOW });
    });
    await redis().kill();
    await Promise.all(work);
    await whenLost(cache);
    await expectLocal(cache, "acct_2");
    expect(cache.onError.mock.calls.map(([{ message }]) => message)).toEqual([
      expect.stringMatching(/^Redis at 127\.0\.0\.1:\d+ is unavailable: /),
    ]);
    await redis().restart();
    await whenBack(cache);
    await expectShared(cache);
    expect(cache.onError).toHaveBeenCalledTimes(1);
  });

  it("does not delay calls if it hangs", async () => {
    const cache = await openCache({ url: redis().url, commandTimeoutMs });
    const { pid } = redis();
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    await expectLocal(cache, "acct_2");
    expect(cache.onError.mock.calls.map(([{ message }]) => message)).toEqual([
      expect.stringContaining("is unavailable: no response within 200 ms"),
    ]);
    process.kill(pid, "SIGCONT");
    await whenBack(cache);
    await expectShared(cache);
  });

  it("does not bring back renderings that were deleted or replaced in the meantime", async () => {
    const cache = await openCache({ url: redis().url });
    const client = await openPlainClient(redis().url);
    const named = (key: string): typeof getRequest => ({ ...getRequest, key });
    for (const key of ["deleted", "replaced", "untouched"])
      await cache.renderings.put({ ...named(key), rendering: sampleRendering() });
    await client.sendCommand(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
    await whenLost(cache);
    await cache.renderings.delete(named("deleted"));
    await cache.renderings.put({ ...named("replaced"), rendering: sampleRendering({ etag: '"new"' }) });
    await whenBack(cache);
    expect(await cache.renderings.get(named("deleted"))).toBeNull();
    expect(await cache.renderings.get(named("replaced"))).toBeNull();
    expect((await cache.renderings.get(named("untouched")))?.etag).toBe('"9f86d081"');
  });

  it("is used later if it is down on opening", async () => {
    await redis().kill();
    const cache = await openCache({ url: redis().url });
    expect(cache.onError.mock.calls.map(([{ message }]) => message)).toEqual([
      expect.stringContaining("ECONNREFUSED"),
    ]);
    await expectLocal(cache, "acct_2");
    await redis().restart();
    await whenBack(cache);
    await expectShared(cache);
  });

  it("does not prevent opening and closing if it hangs", async () => {
    const { pid } = redis();
    const opened = await openCache({ url: redis().url, commandTimeoutMs });
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    await opened.close();
    const cache = await openCache({ url: redis().url, commandTimeoutMs });
    await whenLost(cache);
    expect(cache.onError.mock.calls.map(([{ message }]) => message)).toEqual([
      expect.stringContaining("no response within 3000 ms"),
    ]);
    await expectLocal(cache, "acct_2");
    await cache.close();
  });
});

describe("a closed cache", { tags: ["redis"] }, () => {
  const redis = useRedis();

  it("behaves as if Redis were unavailable, and reports no error", async () => {
    const cache = await openCache({ url: redis().url });
    await cache.close();
    await cache.close();
    await expectLocal(cache, "acct_2");
    expect(cache.onError).not.toHaveBeenCalled();
  });
});

describe("callbacks that throw", { tags: ["redis"] }, () => {
  const redis = useRedis();
  const fail = (): never => {
    throw new Error("the log is closed");
  };

  it("cause process warnings, and Redis is used again when it is back", async () => {
    const cache = await openCache({ url: redis().url, commandTimeoutMs });
    cache.onError.mockImplementation(fail);
    cache.onRecovered.mockImplementation(fail);
    const warned = once(process, "warning");
    const { pid } = redis();
    process.kill(pid, "SIGSTOP");
    onTestFinished(() => void process.kill(pid, "SIGCONT"));
    await expectLocal(cache, "acct_2");
    expect(String((await warned)[0])).toBe("Error: the log is closed");
    process.kill(pid, "SIGCONT");
    await whenBack(cache);
    await expectShared(cache);
  });

  it("do not prevent a rendering from being cached if it evicts another", async () => {
    const cache = await openCache({ url: redis().url, cacheMaxBytes: 5000, onEvicted: fail });
    for (const [index, key] of ["old", "new"].entries())
      await cache.renderings.put({
        ...RENDERING_KEY,
        key,
        rendering: sampleRendering({ storedAt: NOW + index }),
      });
    expect(await cache.renderings.peek({ ...getRequest, key: "old" })).toBeNull();
    expect(await cache.renderings.peek({ ...getRequest, key: "new" })).not.toBeNull();
    expect(cache.onError).not.toHaveBeenCalled();
  });
});

describe("a permanent error", { tags: ["redis"] }, () => {
  const redis = useRedis(["requirepass s3cret"]);
  const urlWith = (credentials: string, path = ""): string =>
    `${redis().url.replace("redis://", `redis://${credentials}`)}${path}`;

  it("does not occur with the right password", async () => {
    const cache = await openCache({ url: urlWith(":s3cret@", "/1") });
    await expectShared(cache);
    expect(cache.onError).not.toHaveBeenCalled();
  });

  it.each([
    [
      "a wrong password",
      ":Hunter2@",
      "",
      /^Redis at 127\.0\.0\.1:\d+ rejected the connection: WRONGPASS .+; correct the user and the password in its URL$/,
    ],
    ["a wrong user", "ada:Hunter2@", "", /^Redis at 127\.0\.0\.1:\d+ rejected the connection: WRONGPASS/],
    ["no password", "", "", /^Redis at 127\.0\.0\.1:\d+ rejected the connection: NOAUTH/],
    [
      "a database number that does not exist",
      ":s3cret@",
      "/99",
      /^Redis at 127\.0\.0\.1:\d+ rejected the connection: ERR .+; correct the database number in its URL$/,
    ],
    ["a database that is not a number", ":s3cret@", "/cache", /^The Redis URL must look like redis:/],
  ])("is thrown on opening, without quoting the password: %s", async (_, credentials, path, message) => {
    const onError = vi.fn<(error: Error) => void>();
    const opening = openRedisCache({ url: urlWith(credentials, path), onError });
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow(/Hunter2|s3cret/);
    expect(onError).not.toHaveBeenCalled();
  });
});

describe("a permanent error of a Redis without a password", { tags: ["redis"] }, () => {
  const redis = useRedis(['rename-command INFO ""']);

  it.each([
    [
      "a password that Redis does not expect",
      ":Hunter2@",
      /^Redis at 127\.0\.0\.1:\d+ rejected the connection: ERR AUTH .+; correct the user and the password in its URL$/,
    ],
    [
      "a missing command",
      "",
      /^Redis at 127\.0\.0\.1:\d+ rejected the connection: ERR unknown command .+; correct its URL or its configuration$/,
    ],
  ])("is explained: %s", async (_, credentials, message) => {
    const url = redis().url.replace("redis://", `redis://${credentials}`);
    await expect(openRedisCache({ url })).rejects.toThrow(message);
  });
});

describe("a malformed URL", () => {
  it.each(["127.0.0.1:6379", "http://:Hunter2@127.0.0.1:6379", "redis://:%zz@127.0.0.1", "", "Hunter2"])(
    "is rejected: %j",
    async (url) => {
      const opening = openRedisCache({ url });
      await expect(opening).rejects.toThrow(
        "The Redis URL must look like redis://user:password@host:6379/0, or rediss://… for TLS.",
      );
      expect(JSON.stringify(await opening.catch((error: unknown) => error))).not.toContain("Hunter2");
    },
  );
});
