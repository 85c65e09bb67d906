import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { RenderingStore, StoredRendering } from "../../src/ports/renderings.ts";
import {
  createRenderingCache,
  toStoredRendering,
  type RenderingCache,
} from "../../src/renderings/rendering-cache.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const NAME = { accountId: "acct_1", key: "0f1e" };

let clock: ReturnType<typeof createFakeClock>;
let store: RenderingStore;
/** What was asked of the store, in order. */
let asked: string[];

beforeEach(() => {
  clock = createFakeClock(START_MS);
  asked = [];
  const { renderings } = createMemoryStorage();
  store = {
    ...renderings,
    get: (request) => (asked.push("get"), renderings.get(request)),
    peek: (request) => (asked.push("peek"), renderings.peek(request)),
  };
});

function open(isShared: boolean): RenderingCache {
  return createRenderingCache({ store, isShared, clock, memoryBytes: 1_000_000 });
}

function rendering(text: string, ttlSeconds = 3600): StoredRendering {
  const bytes = new TextEncoder().encode(text);
  const file = { bytes, contentType: "image/png", targetStatus: 200, notes: [] } as const;
  return toStoredRendering(file, { now: clock.now(), ttlSeconds });
}

function textOf(found: StoredRendering | null): string | null {
  return found && new TextDecoder().decode(found.bytes);
}

describe("a cache over a store of its own", () => {
  it("answers from memory, without the store", async () => {
    const cache = open(false);
    await cache.keep(NAME, rendering("one"));
    expect(textOf(cache.recall(NAME))).toBe("one");
    expect(textOf(await cache.lookup(NAME))).toBe("one");
    expect(asked).toEqual([]);
  });
});

describe("caches over a store that they share", () => {
  it("answer nothing without a look at the store, but fetch the bytes once", async () => {
    const [one, two] = [open(true), open(true)];
    await one.keep(NAME, rendering("one"));
    for (const cache of [one, two]) expect(cache.recall(NAME)).toBeNull();
    expect(textOf(await two.lookup(NAME))).toBe("one");
    expect(textOf(await two.lookup(NAME))).toBe("one");
    expect(textOf(await one.lookup(NAME))).toBe("one");
    expect(asked).toEqual(["get", "peek", "peek"]);
  });

  it("see at once that another process has deleted", async () => {
    const [one, two] = [open(true), open(true)];
    await one.keep(NAME, rendering("one"));
    await two.lookup(NAME);
    await store.delete(NAME);
    for (const cache of [one, two]) expect(await cache.lookup(NAME)).toBeNull();
  });

  it("see at once that another process has replaced", async () => {
    const [one, two] = [open(true), open(true)];
    await one.keep(NAME, rendering("one"));
    await two.lookup(NAME);
    await one.keep(NAME, rendering("two"));
    expect(textOf(await two.lookup(NAME))).toBe("two");
    expect(textOf(await one.lookup(NAME))).toBe("two");
  });

  it("tell the life of what is stored now, where only that was renewed", async () => {
    const [one, two] = [open(true), open(true)];
    await one.keep(NAME, rendering("one", 60));
    await two.lookup(NAME);
    clock.advance(30_000);
    await one.keep(NAME, rendering("one", 60));
    expect((await two.lookup(NAME))?.expiresAt).toBe(START_MS + 90_000);
    clock.advance(45_000);
    expect((await two.lookup(NAME))?.expiresAt).toBe(START_MS + 90_000);
    clock.advance(15_000);
    expect(await two.lookup(NAME)).toBeNull();
  });

  it("find nothing while the store answers nothing, and it again afterwards", async () => {
    const cache = open(true);
    await cache.keep(NAME, rendering("one"));
    const { get, peek } = store;
    Object.assign(store, { get: async () => null, peek: async () => null });
    expect(await cache.lookup(NAME)).toBeNull();
    Object.assign(store, { get, peek });
    expect(textOf(await cache.lookup(NAME))).toBe("one");
  });
});
