import { describe, expect, it, vi } from "vitest";
import { createFakeRandom, createMemoryStorage } from "@snap/testing";
import { flushMicrotasks } from "../batches/open-engine.ts";
import { DAY_MS, NOON, openHistory, type HistoryBench } from "./open-history.ts";

const url = "https://example.com/";
const WHOLE_YEARS = { from: "2026-01-01", to: "2027-12-31", by: "day" } as const;

/** Advances the clock by five minutes, in which pruning runs five times. */
async function prune({ clock }: HistoryBench): Promise<void> {
  for (let pass = 0; pass < 5; pass += 1) {
    clock.advance(60_000);
    await flushMicrotasks();
  }
}

describe("the history", () => {
  it("is paginated, and rejects an unknown start", async () => {
    const { engine, clock, principal, flushHistory } = await openHistory();
    for (const path of ["a", "b", "c"]) {
      await engine.capture({ principal, parameters: { url: url + path } });
      clock.advance(1);
    }
    const [c, b, a] = await flushHistory();
    expect(await engine.history.page({ limit: 2 })).toEqual({ entries: [c, b], hasMore: true });
    expect(await engine.history.page({ limit: 2, after: String(b?.id) })).toEqual({
      entries: [a],
      hasMore: false,
    });
    await expect(engine.history.page({ limit: 2, after: "req_0" })).rejects.toMatchObject({
      name: "AdminError",
      code: "request_not_found",
    });
    expect(await engine.history.find(String(a?.id))).toEqual(a);
    expect(await engine.history.find("req_0")).toBeNull();
  });

  it("counts recent renders and failures per minute", async () => {
    const { engine, clock, principal, flushHistory } = await openHistory();
    await engine.capture({ principal, parameters: { url } });
    clock.advance(60_000);
    await engine.capture({ principal, parameters: { url, cache: false } });
    await engine.capture({ principal, parameters: { url } });
    await engine.capture({ principal, parameters: { url: "http://127.0.0.1/" } }).catch(() => {});
    await flushHistory();
    const request = { withinMs: 3_600_000, intervalMs: 60_000 };
    expect(await engine.history.activity(request)).toEqual([
      { at: NOON, renders: 1, failures: 0 },
      { at: NOON + 60_000, renders: 1, failures: 1 },
    ]);
    expect(await engine.history.activity({ ...request, withinMs: 30_000 })).toHaveLength(1);
    expect(await engine.history.failures({ withinMs: 30_000 })).toEqual([{ code: "blocked_host", count: 1 }]);
    clock.advance(DAY_MS);
    expect(await engine.history.failures({ withinMs: DAY_MS })).toEqual([]);
  });

  it("returns a rendering free of charge, but only while the same rendering is cached", async () => {
    const { engine, storage, clock, principal, flushHistory } = await openHistory();
    const { rendering } = await engine.capture({ principal, parameters: { url, cacheTtl: 60 } });
    const [entry] = await flushHistory();
    if (entry === undefined) throw new Error("the capture has no entry");
    const { account } = principal;
    const before = await engine.credits(account);
    expect(await engine.history.rendering(entry)).toEqual(rendering);
    expect(await engine.credits(account)).toEqual(before);
    expect(await engine.history.rendering({ ...entry, etag: '"0"' })).toBeNull();
    expect(await engine.history.rendering({ ...entry, key: null, etag: null })).toBeNull();
    expect(await engine.history.rendering({ ...entry, accountId: "acct_other" })).toBeNull();
    const { accountId, key } = entry;
    await storage.renderings.put({
      accountId,
      key: String(key),
      rendering: { ...rendering, etag: '"1"' },
    });
    expect(await engine.history.rendering(entry)).toBeNull();
    await storage.renderings.put({ accountId, key: String(key), rendering });
    clock.advance(60_000);
    expect(await engine.history.rendering(entry)).toBeNull();
  });
});

describe("pruning", () => {
  it("deletes entries after their retention, totals after 400 days, and expired sign-ins", async () => {
    const bench = await openHistory();
    const { engine, storage, clock, principal, flushHistory } = bench;
    await engine.capture({ principal, parameters: { url } });
    await flushHistory();
    await engine.operators.createLink();
    const clear = vi.spyOn(storage.signIns, "prune");
    clock.advance(7 * DAY_MS - 60_000);
    expect((await engine.history.page({ limit: 9 })).entries).toHaveLength(1);
    await prune(bench);
    expect((await engine.history.page({ limit: 9 })).entries).toEqual([]);
    expect(await clear.mock.results[0]?.value).toBe(1);
    clock.advance(392 * DAY_MS);
    await prune(bench);
    expect(await engine.history.usage(WHOLE_YEARS)).toMatchObject([{ day: "2026-03-01", renders: 1 }]);
    clock.advance(2 * DAY_MS);
    await prune(bench);
    expect(await engine.history.usage(WHOLE_YEARS)).toEqual([]);
  });

  it("deletes entries after the maximum retention if the engine records none", async () => {
    const storage = createMemoryStorage();
    const recording = await openHistory({ storage });
    const { principal } = recording;
    await recording.engine.capture({ principal, parameters: { url } });
    await recording.engine.close();
    const bench = await openHistory({
      storage,
      historyRetentionMs: null,
      email: "grace@example.com",
      random: createFakeRandom(2),
    });
    bench.clock.advance(89 * DAY_MS);
    await prune(bench);
    expect((await bench.engine.history.page({ limit: 9 })).entries).toHaveLength(1);
    bench.clock.advance(DAY_MS);
    await prune(bench);
    expect((await bench.engine.history.page({ limit: 9 })).entries).toEqual([]);
  });
});

describe("a deleted account", () => {
  it("leaves no history, even if a capture finishes later", async () => {
    const { engine, renderer, principal, flushHistory } = await openHistory();
    await engine.capture({ principal, parameters: { url } });
    expect(await flushHistory()).toHaveLength(1);
    const release = renderer.hold();
    const late = engine.capture({ principal, parameters: { url: `${url}late` } }).catch(() => {});
    await renderer.whenCalled(2);
    expect(await engine.accounts.delete(principal.account.id)).toMatchObject({ requests: 1 });
    release();
    await late;
    expect(await flushHistory()).toEqual([]);
    expect(await engine.history.usage(WHOLE_YEARS)).toEqual([]);
  });
});
