import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import type { RenderingStore, StoredRendering } from "../../src/ports/renderings.ts";
import { entityTag } from "../../src/cache/entity-tag.ts";
import { createRenderingCache, type RenderingCache } from "../../src/cache/rendering-cache.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const KEY = { accountId: "acct_1", key: "0f1e" };

let clock: ReturnType<typeof createFakeClock>;
let store: RenderingStore;
/** Calls of the store's `get` and `peek`, in order. */
let calls: string[];

beforeEach(() => {
  clock = createFakeClock(START_MS);
  calls = [];
  const { renderings } = createMemoryStorage();
  store = {
    ...renderings,
    get: (request) => (calls.push("get"), renderings.get(request)),
    peek: (request) => (calls.push("peek"), renderings.peek(request)),
  };
});

function open(): RenderingCache {
  return createRenderingCache({ store, clock, memoryBytes: 1_000_000 });
}

function rendering(text: string, ttlSeconds = 3600): StoredRendering {
  const bytes = new TextEncoder().encode(text);
  const file = { bytes, contentType: "image/png", targetStatus: 200, notes: [] } as const;
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
  return { ...file, etag, storedAt: clock.now(), expiresAt: clock.now() + ttlSeconds * 1000 };
}

function textOf(found: StoredRendering | null): string | null {
  return found && new TextDecoder().decode(found.bytes);
}

describe("rendering caches with a shared store", () => {
  it("check the store on each lookup, but fetch the bytes once", async () => {
    const [one, two] = [open(), open()];
    await one.store(KEY, rendering("one"));
    calls = [];
    expect([one.recall(KEY)?.etag, two.recall(KEY)]).toEqual([rendering("one").etag, null]);
    expect(textOf(await two.lookUp(KEY))).toBe("one");
    expect(textOf(await two.lookUp(KEY))).toBe("one");
    expect(textOf(await one.lookUp(KEY))).toBe("one");
    expect(calls).toEqual(["get", "peek", "peek"]);
  });

  it("fetch the bytes again after a caller has transferred them to another thread", async () => {
    const cache = open();
    await cache.store(KEY, rendering("one"));
    const buffer = (await cache.lookUp(KEY))?.bytes.buffer as ArrayBuffer;
    structuredClone(buffer, { transfer: [buffer] });
    expect(cache.recall(KEY)).toBeNull();
    expect(textOf(await cache.lookUp(KEY))).toBe("one");
  });

  it("do not fetch the bytes of a rendering that the caller already has", async () => {
    const [one, two] = [open(), open()];
    await one.store(KEY, rendering("one"));
    calls = [];
    const { etag } = rendering("one");
    const held = await two.lookUp(KEY, (tag) => tag === etag);
    expect([held?.etag, held?.bytes.byteLength]).toEqual([etag, 0]);
    expect(textOf(await two.lookUp(KEY, () => false))).toBe("one");
    expect(textOf(await two.lookUp(KEY, () => true))).toBe("one");
    expect(calls).toEqual(["peek", "peek", "get", "peek"]);
  });

  it("notice immediately that another process deleted a rendering", async () => {
    const [one, two] = [open(), open()];
    await one.store(KEY, rendering("one"));
    await two.lookUp(KEY);
    await store.delete(KEY);
    for (const cache of [one, two]) expect(await cache.lookUp(KEY)).toBeNull();
  });

  it("notice immediately that another process replaced a rendering", async () => {
    const [one, two] = [open(), open()];
    await one.store(KEY, rendering("one"));
    await two.lookUp(KEY);
    await one.store(KEY, rendering("two"));
    expect(textOf(await two.lookUp(KEY))).toBe("two");
    expect(textOf(await one.lookUp(KEY))).toBe("two");
  });

  it("return the stored expiry after another process has renewed the rendering", async () => {
    const [one, two] = [open(), open()];
    await one.store(KEY, rendering("one", 60));
    await two.lookUp(KEY);
    clock.advance(30_000);
    await one.store(KEY, rendering("one", 60));
    expect((await two.lookUp(KEY))?.expiresAt).toBe(START_MS + 90_000);
    clock.advance(45_000);
    expect((await two.lookUp(KEY))?.expiresAt).toBe(START_MS + 90_000);
    clock.advance(15_000);
    expect(await two.lookUp(KEY)).toBeNull();
  });

  it("miss while the store returns nothing, and hit afterwards", async () => {
    const cache = open();
    await cache.store(KEY, rendering("one"));
    const { get, peek } = store;
    Object.assign(store, { get: async () => null, peek: async () => null });
    expect(await cache.lookUp(KEY)).toBeNull();
    Object.assign(store, { get, peek });
    expect(textOf(await cache.lookUp(KEY))).toBe("one");
  });

  it("treat a corrupt body as a miss and delete it", async () => {
    const stored = rendering("one");
    await store.put({ ...KEY, rendering: { ...stored, bytes: new TextEncoder().encode("two") } });
    expect(await open().lookUp(KEY)).toBeNull();
    expect(await store.get({ ...KEY, now: clock.now() })).toBeNull();
  });
});

describe("an entity tag", () => {
  it.each([0, 1, 1_048_576, 1_048_577, 5_000_000])("is the SHA-256 of %i bytes", async (length) => {
    const bytes = Buffer.alloc(length, "abcdefg");
    expect(await entityTag(bytes)).toBe(`"${createHash("sha256").update(bytes).digest("hex")}"`);
  });

  it("is computed in slices for a large body, one per turn of the event loop", async () => {
    let turns = 0;
    let isDone = false;
    const countTurns = (): void => {
      turns += 1;
      if (!isDone) setImmediate(countTurns);
    };
    setImmediate(countTurns);
    const body = Buffer.alloc(8 * 1024 * 1024);
    await Promise.all([entityTag(body), entityTag(body), entityTag(body)]);
    isDone = true;
    expect(turns).toBeGreaterThanOrEqual(3 * 7);
  });
});
