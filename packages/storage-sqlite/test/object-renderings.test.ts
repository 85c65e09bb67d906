import {
  createObjectRenderings,
  createS3Store,
  type ObjectRenderingsOptions,
  type S3StoreOptions,
} from "@snap/engine";
import type { RenderingStore } from "@snap/engine/ports";
import { testRenderingStore, type StorageSettings } from "@snap/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { EXPIRES_AT, sampleRendering, STORED_AT } from "../../testing/src/suites/rendering-samples.ts";
import {
  openObjectStore,
  STORE_CREDENTIALS,
  type ObjectStoreServer,
  type StoreFault,
} from "../../testing/test/servers/object-store.ts";
import { openInTemporaryDirectory } from "./temporary.ts";

/* Tests a rendering cache that stores its bytes in a bucket, using real sockets, real signatures and a real index. */

const DAY_MS = 86_400_000;

let server: ObjectStoreServer;
beforeAll(async () => {
  server = await openObjectStore();
});
afterAll(() => server.close());
beforeEach(() => server.clear());

const bucketOf = (options: Partial<S3StoreOptions> = {}): ReturnType<typeof createS3Store> =>
  createS3Store({ ...STORE_CREDENTIALS, endpoint: server.origin, prefix: "snap cache", ...options });

describe.each<[string, Partial<ObjectRenderingsOptions>]>([
  ["of more than 32 KiB", {}],
  ["of any size", { inlineMaxBytes: 0 }],
])("with renderings %s in the bucket", (_, options) => {
  testRenderingStore(
    { describe, it },
    async (settings: StorageSettings) => {
      server.clear();
      const { storage, close } = await openInTemporaryDirectory(settings);
      const renderings = createObjectRenderings({
        index: storage.renderings,
        bucket: bucketOf(),
        ...options,
      });
      return { storage: { renderings }, close };
    },
    // the quota of the index does not count bytes in the bucket
    { isUnlimited: true },
  );
});

const KEY = { accountId: "acct_1", key: "0f1e" };
const LARGE = sampleRendering({ bytes: new Uint8Array(50_000).fill(7) });
const named = { ...KEY, now: STORED_AT };

interface Opened {
  readonly renderings: RenderingStore;
  readonly index: RenderingStore;
  readonly onError: ReturnType<typeof vi.fn<(error: Error) => void>>;
  readonly onRecovered: ReturnType<typeof vi.fn<() => void>>;
  /** Advances the clock, by default past the pause of a failing bucket; a negative number sets it back. */
  readonly advanceClock: (ms?: number) => void;
}

async function open(options: Partial<S3StoreOptions> = {}): Promise<Opened> {
  const { storage, close } = await openInTemporaryDirectory({});
  onTestFinished(close);
  const [onError, onRecovered] = [vi.fn<(error: Error) => void>(), vi.fn<() => void>()];
  let now = STORED_AT;
  const clock = { now: () => now, after: () => () => {} };
  const { renderings: index } = storage;
  const renderings = createObjectRenderings({
    index,
    bucket: bucketOf(options),
    clock,
    onError,
    onRecovered,
  });
  return { renderings, index, onError, onRecovered, advanceClock: (ms = 5_000) => void (now += ms) };
}

const keys = (): string[] => [...server.objects.keys()];
const pathOf = (accountId: string, day = "2026-01-02"): RegExp =>
  new RegExp(`^snap cache/cache/${day}/${accountId}/[0-9a-f]{32}$`);

describe("createObjectRenderings", () => {
  it("stores the bytes under the day of expiry and the account, and only a pointer in the index", async () => {
    const { renderings, index } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    expect(keys()).toEqual([expect.stringMatching(pathOf("acct_1"))]);
    expect([...server.objects.values()]).toEqual([
      { bytes: Buffer.from(LARGE.bytes), contentType: "image/png" },
    ]);
    const entry = await index.get(named);
    expect(Buffer.from(entry?.bytes ?? []).toString()).toMatch(
      /^snap-object 2026-01-02\/[0-9a-f]{32} 50000$/,
    );
    expect((await index.stats())?.bytes).toBeLessThan(4096 + 100);
    expect((await renderings.get(named))?.bytes).toEqual(Buffer.from(LARGE.bytes));
  });

  it("stores 32,768 bytes in the index, and returns larger renderings stored there earlier", async () => {
    const { renderings, index } = await open();
    const requests = server.requests();
    await renderings.put({ ...KEY, rendering: sampleRendering({ bytes: new Uint8Array(32_768) }) });
    await index.put({ ...KEY, key: "before", rendering: LARGE });
    expect((await renderings.get(named))?.bytes).toHaveLength(32_768);
    expect((await renderings.get({ ...named, key: "before" }))?.bytes).toHaveLength(50_000);
    expect(server.requests()).toBe(requests);
  });

  it("never reads another account's object, even if the index points to it", async () => {
    const { renderings, index } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    const entry = await index.get(named);
    if (entry === null) throw new Error("the entry is missing");
    await index.put({ accountId: "acct_2", key: "0f1e", rendering: entry });
    expect(await renderings.get({ ...named, accountId: "acct_2" })).toBeNull();
  });

  it.each<[string, () => void]>([
    ["lost", () => server.objects.clear()],
    ["corrupt", () => server.failNext("corrupts")],
    ["replaced with other bytes", () => replaceAll(new Uint8Array(50_000))],
    ["longer", () => replaceAll(new Uint8Array(50_001).fill(7))],
    ["much longer", () => replaceAll(new Uint8Array(1_000_000).fill(7))],
    ["shorter", () => replaceAll(LARGE.bytes.subarray(1))],
  ])("treats an object that is %s as a cache miss, and deletes its entry", async (_, damage) => {
    const { renderings, index, onError } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    damage();
    expect(await renderings.get(named)).toBeNull();
    expect(await index.peek(named)).toBeNull();
    expect(onError).not.toHaveBeenCalled();
  });

  it.each<[StoreFault, string]>([
    [500, "500 InternalError"],
    [403, "403 AccessDenied"],
    [404, "404 NoSuchBucket"],
    ["truncates", "the connection was lost, or the response is too long or not valid HTTP"],
    ["silent", "no response within 2000 ms"],
  ])("stops using a bucket for 5 s after the fault %j, and reports it once", async (fault, detail) => {
    const { renderings, index, onError, onRecovered, advanceClock } = await open({ timeoutMs: 2_000 });
    await renderings.put({ ...KEY, rendering: LARGE });
    server.failNext(fault);
    expect(await renderings.get(named)).toBeNull();
    expect(onError.mock.calls.map(([{ message }]) => message)).toEqual([
      `The object store for cached renderings is failing: ${detail}. Large renderings are not cached until it works again.`,
    ]);
    const requests = server.requests();
    expect(await renderings.get(named)).toBeNull();
    expect(server.requests()).toBe(requests);
    expect(await index.peek(named)).not.toBeNull();
    expect(onRecovered).not.toHaveBeenCalled();
    advanceClock();
    expect((await renderings.get(named))?.bytes).toEqual(Buffer.from(LARGE.bytes));
    expect([onError.mock.calls.length, onRecovered.mock.calls.length]).toEqual([1, 1]);
  });

  it("tries a failing bucket with only one of several requests every 5 s", async () => {
    const { renderings, onError, advanceClock } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    server.failMethod("GET", 500);
    const getThree = (): Promise<unknown[]> => Promise.all([1, 2, 3].map(() => renderings.get(named)));
    await renderings.get(named);
    for (let pauses = 0; pauses < 2; pauses += 1) {
      const requests = server.requests();
      advanceClock();
      expect(await getThree()).toEqual([null, null, null]);
      expect(server.requests()).toBe(requests + 1);
    }
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it("tries a failed bucket again after the clock was set back", async () => {
    const { renderings, onRecovered, advanceClock } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    server.failNext(500);
    expect(await renderings.get(named)).toBeNull();
    advanceClock(-3_600_000);
    expect((await renderings.get(named))?.bytes).toEqual(Buffer.from(LARGE.bytes));
    expect(onRecovered).toHaveBeenCalledTimes(1);
  });

  it("reports an outage once, however often the bucket is tried", async () => {
    const { renderings, onError, onRecovered, advanceClock } = await open();
    server.failMethod("PUT", 500);
    for (let tries = 0; tries < 3; tries += 1) {
      await renderings.put({ ...KEY, rendering: LARGE });
      advanceClock();
    }
    server.failMethod("PUT", null);
    await renderings.put({ ...KEY, rendering: LARGE });
    await renderings.put({ ...KEY, rendering: LARGE });
    expect([onError.mock.calls.length, onRecovered.mock.calls.length]).toEqual([1, 1]);
  });

  it("uses the bucket as usual if the callbacks for its outage throw", async () => {
    const { renderings, onError, onRecovered, advanceClock } = await open();
    for (const callback of [onError, onRecovered])
      callback.mockImplementation(() => {
        throw new Error("the log is closed");
      });
    await renderings.put({ ...KEY, rendering: LARGE });
    server.failNext(503);
    expect(await renderings.get(named)).toBeNull();
    advanceClock();
    expect((await renderings.get(named))?.bytes).toEqual(Buffer.from(LARGE.bytes));
    expect([onError.mock.calls.length, onRecovered.mock.calls.length]).toEqual([1, 1]);
  });

  it("neither stores a large rendering nor returns the one it replaces while the bucket is failing", async () => {
    const { renderings, onError } = await open();
    await renderings.put({ ...KEY, rendering: sampleRendering() });
    server.failNext(503);
    await renderings.put({ ...KEY, rendering: LARGE });
    expect(await renderings.get(named)).toBeNull();
    expect(keys()).toEqual([]);
    expect(onError).toHaveBeenCalledTimes(1);
    await renderings.put({ ...KEY, rendering: sampleRendering() });
    expect((await renderings.get(named))?.bytes).toHaveLength(6);
  });

  it("leaves no object for an account that is being deleted", async () => {
    const { renderings } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    await renderings.deleteAccount({ accountId: "acct_1", now: STORED_AT });
    expect(keys()).toEqual([]);
    await renderings.put({ ...KEY, rendering: LARGE });
    expect(keys()).toEqual([]);
  });

  it("deletes a rendering with its object", async () => {
    const { renderings } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    await renderings.delete(KEY);
    expect(keys()).toEqual([]);
  });

  it("purges an account's objects under every day, but not another account's", async () => {
    const { renderings } = await open();
    for (const accountId of ["acct_1", "acct_10"])
      for (const days of [0, 1, 29])
        await renderings.put({
          accountId,
          key: String(days),
          rendering: { ...LARGE, expiresAt: EXPIRES_AT + days * DAY_MS },
        });
    expect(await renderings.purge({ accountId: "acct_1" })).toBe(3);
    expect(keys()).toEqual(
      ["2026-01-02", "2026-01-03", "2026-01-31"].map((day) => expect.stringMatching(pathOf("acct_10", day))),
    );
    expect(await renderings.purge({ accountId: null })).toBe(3);
    expect(keys()).toEqual([]);
  });

  it("purges more objects than fit on one page of a listing, and leaves others alone", async () => {
    const { renderings } = await open();
    const object = { bytes: Buffer.of(), contentType: undefined };
    const others = ["another/2026-01-02/acct_1/0", "snap cache/caches", "snap cache/acct_1/a.png"];
    for (const key of others) server.objects.set(key, object);
    for (let index = 0; index < 1_010; index += 1)
      server.objects.set(`snap cache/cache/2026-01-02/acct_1/${index}`, object);
    await renderings.purge({ accountId: "acct_1" });
    expect(keys()).toEqual(others);
  });

  it.each<[string, string, StoreFault]>([
    ["cannot be listed", "GET", 500],
    ["responds with an HTML page instead of a listing", "GET", "captive-portal"],
    ["refuses to delete", "DELETE", 403],
  ])("reports that a purge failed if the bucket %s, and can be called again", async (_, method, fault) => {
    const { renderings, index } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    server.failMethod(method, fault);
    const message = /^the object store failed \(.+\), so renderings may remain in it until a retry succeeds$/;
    await expect(renderings.purge({ accountId: "acct_1" })).rejects.toThrow(message);
    await expect(renderings.purge({ accountId: null })).rejects.toThrow(message);
    await expect(renderings.deleteAccount({ accountId: "acct_1", now: STORED_AT })).rejects.toThrow(message);
    expect(await index.peek(named)).toBeNull();
    expect(keys()).toHaveLength(1);
    server.failMethod(method, null);
    await renderings.deleteAccount({ accountId: "acct_1", now: STORED_AT });
    expect(keys()).toEqual([]);
  });

  it("prunes objects the day after their renderings expire", async () => {
    const { renderings } = await open();
    await renderings.put({ ...KEY, rendering: LARGE });
    // replaces it in the index; the first object remains
    await renderings.put({ ...KEY, rendering: { ...LARGE, expiresAt: EXPIRES_AT + DAY_MS } });
    await renderings.prune({ now: EXPIRES_AT + 23 * 3_600_000, limit: 10 });
    expect(keys()).toHaveLength(2);
    await renderings.prune({ now: EXPIRES_AT + DAY_MS, limit: 10 });
    expect(keys()).toEqual([expect.stringMatching(pathOf("acct_1", "2026-01-03"))]);
  });

  it("prunes once an hour, and once a minute while there are more objects to prune", async () => {
    const { renderings } = await open();
    const object = { bytes: Buffer.of(), contentType: undefined };
    for (let index = 0; index < 1_005; index += 1)
      server.objects.set(`snap cache/cache/2025-12-31/acct_1/${index}`, object);
    const left: number[] = [];
    for (const afterMs of [0, 59_000, 60_000, 60_000 + 3_599_000]) {
      await renderings.prune({ now: STORED_AT + afterMs, limit: 1 });
      left.push(keys().length);
      if (afterMs === 60_000) server.objects.set("snap cache/cache/2025-12-31/acct_1/late", object);
    }
    expect(left).toEqual([5, 5, 0, 1]);
    await renderings.prune({ now: STORED_AT + 60_000 + 3_600_000, limit: 1 });
    expect(keys()).toEqual([]);
  });

  it("prunes the index first, although the objects cannot be listed", async () => {
    const { renderings, index } = await open();
    for (const key of ["a", "b"]) await renderings.put({ ...KEY, key, rendering: sampleRendering() });
    server.failMethod("GET", 500);
    const prune = (): Promise<number> => renderings.prune({ now: EXPIRES_AT + DAY_MS, limit: 1 });
    expect([await prune(), await prune()]).toEqual([1, 1]);
    await expect(prune()).rejects.toThrow("object store failed");
    server.failMethod("GET", null);
    expect(await index.stats()).toMatchObject({ bytes: 0 });
  });

  it("retries a failed prune on the next call, rather than after an hour", async () => {
    const { renderings } = await open();
    server.objects.set("snap cache/cache/2025-12-31/acct_1/1", {
      bytes: Buffer.of(),
      contentType: undefined,
    });
    server.failMethod("GET", 500);
    await expect(renderings.prune({ now: STORED_AT, limit: 1 })).rejects.toThrow("object store failed");
    server.failMethod("GET", null);
    await renderings.prune({ now: STORED_AT + 60_000, limit: 1 });
    expect(keys()).toEqual([]);
  });
});

function replaceAll(bytes: Uint8Array): void {
  for (const [key, { contentType }] of server.objects)
    server.objects.set(key, { bytes: Buffer.from(bytes), contentType });
}
