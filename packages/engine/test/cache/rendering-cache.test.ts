import { createFakeClock, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { RenderingStore, StoredRendering } from "../../src/ports/renderings.ts";
import {
  createRenderingCache,
  toStoredRendering,
  type RenderingCache,
} from "../../src/cache/rendering-cache.ts";

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

function open(): RenderingCache {
  return createRenderingCache({ store, clock, memoryBytes: 1_000_000 });
}

function rendering(text: string, ttlSeconds = 3600): StoredRendering {
  const bytes = new TextEncoder().encode(text);
  const file = { bytes, contentType: "image/png", targetStatus: 200, notes: [] } as const;
  return toStoredRendering(file, { now: clock.now(), ttlSeconds });
}

function textOf(found: StoredRendering | null): string | null {
  return found && new TextDecoder().decode(found.bytes);
}

describe("caches over one store", () => {
  it("answer nothing without a look at the store, but fetch the bytes once", async () => {
    const [one, two] = [open(), open()];
    await one.store(NAME, rendering("one"));
    expect([one.recall(NAME)?.etag, two.recall(NAME)]).toEqual([rendering("one").etag, null]);
    expect(textOf(await two.lookUp(NAME))).toBe("one");
    expect(textOf(await two.lookUp(NAME))).toBe("one");
    expect(textOf(await one.lookUp(NAME))).toBe("one");
    expect(asked).toEqual(["get", "peek", "peek"]);
  });

  it("see at once that another process has deleted", async () => {
    const [one, two] = [open(), open()];
    await one.store(NAME, rendering("one"));
    await two.lookUp(NAME);
    await store.delete(NAME);
    for (const cache of [one, two]) expect(await cache.lookUp(NAME)).toBeNull();
  });

  it("see at once that another process has replaced", async () => {
    const [one, two] = [open(), open()];
    await one.store(NAME, rendering("one"));
    await two.lookUp(NAME);
    await one.store(NAME, rendering("two"));
    expect(textOf(await two.lookUp(NAME))).toBe("two");
    expect(textOf(await one.lookUp(NAME))).toBe("two");
  });

  it("tell the life of what is stored now, where only that was renewed", async () => {
    const [one, two] = [open(), open()];
    await one.store(NAME, rendering("one", 60));
    await two.lookUp(NAME);
    clock.advance(30_000);
    await one.store(NAME, rendering("one", 60));
    expect((await two.lookUp(NAME))?.expiresAt).toBe(START_MS + 90_000);
    clock.advance(45_000);
    expect((await two.lookUp(NAME))?.expiresAt).toBe(START_MS + 90_000);
    clock.advance(15_000);
    expect(await two.lookUp(NAME)).toBeNull();
  });

  it("find nothing while the store answers nothing, and it again afterwards", async () => {
    const cache = open();
    await cache.store(NAME, rendering("one"));
    const { get, peek } = store;
    Object.assign(store, { get: async () => null, peek: async () => null });
    expect(await cache.lookUp(NAME)).toBeNull();
    Object.assign(store, { get, peek });
    expect(textOf(await cache.lookUp(NAME))).toBe("one");
  });
});
