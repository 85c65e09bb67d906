import { createFakeRenderer, createFakeResolver, createMemoryStorage } from "@snap/testing";
import { availableParallelism } from "node:os";
import { setImmediate } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import type { EngineOptions } from "../../src/engine-options.ts";
import { SnapError } from "../../src/errors.ts";
import type { BatchRecord } from "../../src/ports/batches.ts";
import { isComplete, flushMicrotasks, openBatchBench, START_MS, type Customer } from "./open-engine.ts";

const pages = (count: number): string[] => Array.from({ length: count }, (_, index) => `page-${index}`);

describe("a worker", () => {
  it("renders the queued items once it starts, each charged once", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench();
    const principal = await customer();
    const { id: batchId, status } = await submit(principal, pages(5));
    expect(status).toBe("pending");
    await flushMicrotasks();
    expect(renderer.calls).toHaveLength(0);
    engine.startWorker();
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items.map(({ status: state, credit_cost }) => [state, credit_cost])).toEqual(
      Array.from({ length: 5 }, () => ["done", 1]),
    );
    expect(batch.items[0]).toEqual({
      id: expect.stringMatching(/^item_[0-9a-f]{24}$/),
      url: "https://example.com/page-0",
      status: "done",
      error: null,
      etag: expect.stringMatching(/^"[0-9a-f]{64}"$/),
      target_status: 200,
      expires_at: "2026-03-02T12:00:00.000Z",
      signed_url: expect.stringMatching(
        /^https:\/\/snap\.example\.com\/v1\/snap\/signed\?expires=1772452800&tokenId=1&url=https/,
      ),
      credit_cost: 1,
    });
    expect((await engine.credits(principal.account)).used).toBe(5);
  });

  it("runs once per engine, and can be started again after it has stopped", async () => {
    const { engine, customer, submit, until } = openBatchBench();
    const principal = await customer();
    const first = engine.startWorker();
    expect(engine.startWorker()).toBe(first);
    await first.stop();
    expect(engine.startWorker()).not.toBe(first);
    const { id: batchId } = await submit(principal, pages(1));
    await until({ principal, batchId }, isComplete);
  });

  it("claims a quarantined account's items after those of other accounts, one at a time", async () => {
    const { engine, renderer, customer, submit, until, advance } = openBatchBench();
    const [hostile, neighbor] = [await customer(), await customer()];
    renderer.failNext(new SnapError("upstream_error", "The page was ended.", { pageEnded: true }));
    const parameters = { url: "https://example.com/hostile" };
    await expect(engine.capture({ principal: hostile, parameters })).rejects.toMatchObject({
      pageEnded: true,
    });
    const release = renderer.hold();
    const first = await submit(hostile, pages(3));
    const second = await submit(neighbor, pages(3));
    engine.startWorker();
    await advance(1_000);
    // each account leaves one of the four slots free, and its batches leave one more
    expect(renderer.options.slice(1).map(({ isolationKey }) => isolationKey)).toEqual([
      neighbor.account.id,
      neighbor.account.id,
      hostile.account.id,
    ]);
    release();
    await until({ principal: neighbor, batchId: second.id }, isComplete);
    await until({ principal: hostile, batchId: first.id }, isComplete);
  });

  it("uses cached renderings free of charge, and caches new ones", async () => {
    const { engine, customer, submit, until } = openBatchBench();
    const principal = await customer();
    const parameters = { url: "https://example.com/known" };
    await engine.capture({ principal, parameters });
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["known", "new"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items.map(({ credit_cost }) => credit_cost)).toEqual([0, 1]);
    expect((await engine.capture({ principal, parameters })).cache).toBe("hit");
  });

  it("fails an item with its error's code and notes, and refunds it", async () => {
    const { engine, renderer, customer, until } = openBatchBench();
    const principal = await customer();
    const notes = ["selector-unmatched"];
    renderer.failNext(new SnapError("render_failed", "No such element.", { notes }));
    engine.startWorker();
    const { id: batchId } = await engine.batches.submit({
      principal,
      document: { items: [{ url: "https://example.com/slow" }, { url: "https://inside.example.com/" }] },
    });
    const batch = await until({ principal, batchId }, isComplete);
    const failed = { status: "failed", etag: null, signed_url: null, credit_cost: 0 };
    expect(batch.items).toMatchObject([
      { ...failed, error: { code: "render_failed", message: "No such element." }, notes },
      { ...failed, error: { code: "blocked_host", message: expect.any(String) } },
    ]);
    expect(batch.items[1]).not.toHaveProperty("notes");
    expect(await engine.credits(principal.account)).toMatchObject({ used: 0, remaining: 1000 });
  });

  it("returns a rendering's notes", async () => {
    const { open, customer, submit, until } = openBatchBench();
    const renderer = createFakeRenderer({ notes: ["wait-capped"] });
    open({ renderer }).startWorker();
    const principal = await customer();
    const { id: batchId } = await submit(principal, ["busy"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done", notes: ["wait-capped"] }]);
  });

  it("fails items for which no credits remain", async () => {
    const { engine, customer, submit, until } = openBatchBench();
    const principal = await customer({ credits: 2 });
    engine.startWorker();
    const { id: batchId } = await submit(principal, pages(4));
    const batch = await until({ principal, batchId }, isComplete);
    const codes = batch.items
      .map(({ error }) => error?.code ?? "none")
      .toSorted((a, b) => a.localeCompare(b));
    expect(codes).toEqual(["credit_limit_reached", "credit_limit_reached", "none", "none"]);
  });

  it.each<["rotated" | "revoked", string | null]>([
    ["rotated", null],
    ["revoked", "unauthenticated"],
  ])("uses the token's current state: %s", async (change, code) => {
    const { engine, customer, submit, storage, advance } = openBatchBench();
    const principal = await customer();
    const { id } = await submit(principal, ["a"]);
    if (change === "rotated") await engine.tokens.rotate(principal.token.id);
    else await engine.tokens.revoke(principal.token.id);
    engine.startWorker();
    await advance(2000);
    const [item] = (await storage.batches.find(id))?.items ?? [];
    expect(item?.state).toMatchObject(code === null ? { status: "done" } : { status: "failed", code });
  });
});

describe("an account's render limit", () => {
  it("allows a batch of 20 to finish despite other traffic", async () => {
    const { engine, customer, submit, until, clock } = openBatchBench();
    const principal = await customer({ requestsPerMinute: 20 });
    for (const path of pages(15))
      await engine.capture({ principal, parameters: { url: `https://example.com/other-${path}` } });
    engine.startWorker();
    const { id: batchId } = await submit(principal, pages(20));
    await until(
      { principal, batchId },
      ({ items }) => items.filter(({ status }) => status === "done").length === 5,
    );
    const waiting = await engine.batches.get({ principal, batchId });
    expect(waiting.items.filter(({ status }) => status === "queued")).toHaveLength(15);
    expect(waiting.items.every(({ error }) => error === null)).toBe(true);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items.every(({ status }) => status === "done")).toBe(true);
    expect(clock.now() - START_MS).toBeLessThan(62_000);
    expect((await engine.credits(principal.account)).used).toBe(35);
  });

  it("allows items in the order of submission", async () => {
    const { engine, renderer, customer, submit, advance } = openBatchBench();
    const principal = await customer({ requestsPerMinute: 1 });
    await engine.capture({ principal, parameters: { url: "https://example.com/now" } });
    engine.startWorker();
    for (const path of ["first", "second", "third"]) {
      // rounded up to seconds, the waits would end after 60.9, 60.8 and 60.7 s: in reverse order
      await advance(900);
      await submit(principal, [path]);
    }
    await advance(3 * 60_000);
    const paths = renderer.calls.map(({ url }) => new URL(url).pathname);
    expect(paths).toEqual(["/now", "/first", "/second", "/third"]);
  });

  it("delays an item for up to 15 minutes, then fails it free of charge", async () => {
    const { engine, storage, customer, submit, until, clock } = openBatchBench();
    const principal = await customer({ requestsPerMinute: 1 });
    const consumeAll = (): void => {
      const request = {
        accountId: principal.account.id,
        name: "render",
        limit: 1,
        windowMs: 60_000,
      } as const;
      void storage.rateLimiter.consume({ ...request, now: clock.now() });
      clock.after(10, consumeAll);
    };
    consumeAll();
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([
      { status: "failed", error: { code: "rate_limited" }, credit_cost: 0 },
    ]);
    expect(clock.now() - START_MS).toBeGreaterThanOrEqual(900_000);
    expect(clock.now() - START_MS).toBeLessThan(902_000);
    expect((await engine.credits(principal.account)).used).toBe(0);
  });

  it("fails an item at the end of its retry window, even if the limit resets later", async () => {
    const { engine, customer, submit, until, clock } = openBatchBench({ batchRetryWindowMs: 6000 });
    const principal = await customer({ requestsPerMinute: 1 });
    engine.startWorker();
    const { id: batchId } = await submit(principal, pages(3));
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items.map(({ error }) => error?.code)).toEqual([undefined, "rate_limited", "rate_limited"]);
    expect(clock.now() - START_MS).toBeGreaterThanOrEqual(6000);
    expect(clock.now() - START_MS).toBeLessThan(7000);
  });

  it("does not delay cached items", async () => {
    const { engine, customer, submit, until, clock } = openBatchBench();
    const principal = await customer({ requestsPerMinute: 1 });
    await engine.capture({ principal, parameters: { url: "https://example.com/known" } });
    engine.startWorker();
    await submit(principal, pages(3));
    const { id: batchId } = await submit(principal, ["known"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done", credit_cost: 0 }]);
    expect(clock.now() - START_MS).toBeLessThan(1000);
  });

  it("yields to the event loop after each item of a postponed backlog", async () => {
    let postponedCount = 0;
    const { engine, customer, submit } = openBatchBench({ onItemPostponed: () => (postponedCount += 1) });
    const principal = await customer({ requestsPerMinute: 1 });
    await submit(principal, pages(20));
    engine.startWorker();
    const postponedPerTurn: number[] = [];
    while (postponedCount < 19) {
      const before = postponedCount;
      await setImmediate();
      postponedPerTurn.push(postponedCount - before);
    }
    expect(Math.max(...postponedPerTurn)).toBe(1);
  });

  it("does not delay another account", async () => {
    const { engine, customer, submit, until, clock } = openBatchBench();
    const limited = await customer({ requestsPerMinute: 1 });
    const free = await customer();
    engine.startWorker();
    await submit(limited, pages(20));
    const { id: batchId } = await submit(free, pages(20));
    await until({ principal: free, batchId }, isComplete);
    expect(clock.now() - START_MS).toBeLessThan(10_000);
  });
});

describe("credits that are only reserved", () => {
  it("make the next item wait until a failed render's credit is refunded", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench();
    const principal = await customer({ credits: 1 });
    const release = renderer.hold();
    renderer.failNext(new SnapError("render_timeout", "too slow"));
    engine.startWorker();
    const { id: batchId } = await submit(principal, pages(2));
    await renderer.whenCalled(1);
    await flushMicrotasks();
    release();
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([
      { status: "failed", error: { code: "render_timeout" }, credit_cost: 0 },
      { status: "done", credit_cost: 1 },
    ]);
  });

  it("become available again after a dead worker's reservation lapses", async () => {
    const { engine, open, renderer, customer, submit, until, clock } = openBatchBench();
    const principal = await customer({ credits: 1 });
    const release = renderer.hold();
    const { id: batchId } = await submit(principal, ["a"]);
    open({ clock: { now: () => clock.now(), after: () => () => {} } }).startWorker();
    await renderer.whenCalled(1);
    clock.advance(21_000);
    // the only credit is still reserved for the lost worker, so this one postpones the item
    engine.startWorker();
    await flushMicrotasks();
    expect((await engine.batches.get({ principal, batchId })).items[0]?.error).toBeNull();
    clock.advance(120_000);
    await flushMicrotasks();
    release();
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done" }]);
    expect((await engine.credits(principal.account)).used).toBe(batch.items[0]?.credit_cost);
  });
});

describe("an item whose rendering is not cached", () => {
  it("is rendered again until its rendering is cached, so the caller can fetch it", async () => {
    const { engine, storage, renderer, customer, submit, until } = openBatchBench();
    const principal = await customer();
    vi.spyOn(storage.renderings, "put").mockImplementationOnce(async () => {});
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([
      { status: "done", signed_url: expect.stringMatching(/^https:/) as string, credit_cost: 1 },
    ]);
    expect(renderer.calls).toHaveLength(2);
    expect((await engine.credits(principal.account)).used).toBe(1);
  });

  it("fails, and is refunded, if its rendering cannot be cached within 15 minutes", async () => {
    const storage = createMemoryStorage({ cacheMaxBytes: 100 });
    const { engine, renderer, customer, submit, until, clock } = openBatchBench({ storage });
    const principal = await customer();
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    const error = {
      code: "render_failed",
      message: "The rendering could not be cached, so it could not be fetched.",
    };
    expect(batch.items).toMatchObject([{ status: "failed", error, expires_at: null, credit_cost: 0 }]);
    expect(clock.now() - START_MS).toBeGreaterThanOrEqual(900_000);
    expect(clock.now() - START_MS).toBeLessThan(902_000);
    expect(renderer.calls.length).toBeGreaterThan(2);
    expect((await engine.credits(principal.account)).used).toBe(0);
  });

  it("is not done if it only joined an interactive render", async () => {
    const storage = createMemoryStorage({ cacheMaxBytes: 100 });
    const { engine, renderer, customer, submit, until } = openBatchBench({ storage });
    const principal = await customer();
    const release = renderer.hold();
    const interactive = engine.capture({ principal, parameters: { url: "https://example.com/a" } });
    await renderer.whenCalled(1);
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    await flushMicrotasks();
    release();
    expect(await interactive).toMatchObject({ cache: "miss", creditCost: 1, isCached: false });
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "failed", credit_cost: 0 }]);
    expect((await engine.credits(principal.account)).used).toBe(1);
  });

  it("is done if its rendering is delivered to an object store", async () => {
    const store = { put: async () => ({ location: "s3://renderings/a.png" }) };
    const storage = createMemoryStorage({ cacheMaxBytes: 100 });
    const { engine, customer, until } = openBatchBench({ storage, stores: { own: { store } } });
    const principal = await customer();
    engine.startWorker();
    const document = { items: [{ url: "https://example.com/a", storeTo: "own" }] };
    const { id: batchId } = await engine.batches.submit({ principal, document });
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([
      {
        status: "done",
        stored_location: "s3://renderings/a.png",
        signed_url: null,
        expires_at: null,
        credit_cost: 1,
      },
    ]);
  });
});

describe("an item of one account", () => {
  const cores = availableParallelism();
  const concurrency = 2 * cores + 2;

  it("is not delayed by another account's items that wait for an object store", async () => {
    const stored = Promise.withResolvers<{ readonly location: string }>();
    const slowStore = { put: () => stored.promise };
    const bench = openBatchBench({ concurrency, stores: { slow: { store: slowStore } } });
    const { engine, renderer, customer, submit, until } = bench;
    const [slow, neighbor] = [await customer(), await customer()];
    engine.startWorker();
    const items = pages(cores).map((path) => ({ url: `https://example.com/${path}`, storeTo: "slow" }));
    await engine.batches.submit({ principal: slow, document: { items } });
    await renderer.whenCalled(cores);
    const { id: batchId } = await submit(neighbor, ["a"]);
    const batch = await until({ principal: neighbor, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done" }]);
    stored.resolve({ location: "s3://renderings/a.png" });
  });

  it("is not delayed by another account's items that wait for interactive renders", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency });
    const [joining, neighbor] = [await customer(), await customer()];
    const release = renderer.hold();
    const interactive = pages(cores).map((path) =>
      engine.capture({ principal: joining, parameters: { url: `https://example.com/${path}` } }),
    );
    await renderer.whenCalled(cores);
    engine.startWorker();
    await submit(joining, pages(cores));
    await flushMicrotasks();
    await submit(neighbor, ["a"]);
    await renderer.whenCalled(cores + 1);
    expect(renderer.options.at(-1)?.isolationKey).toBe(neighbor.account.id);
    release();
    await Promise.all(interactive);
  });

  it("is not delayed by the items of another account at its limit", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency });
    const [busy, neighbor] = [await customer(), await customer()];
    const release = renderer.hold();
    const interactive = pages(cores).map((path) =>
      engine.capture({ principal: busy, parameters: { url: `https://example.com/now-${path}` } }),
    );
    engine.startWorker();
    await submit(busy, pages(20));
    await renderer.whenCalled(2 * cores);
    await flushMicrotasks();
    await submit(neighbor, ["a"]);
    await renderer.whenCalled(2 * cores + 1);
    expect(renderer.options.at(-1)?.isolationKey).toBe(neighbor.account.id);
    release();
    await Promise.all(interactive);
  });

  it("is not delayed by another account's interactive renders that wait at its limit", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency });
    const [busy, neighbor] = [await customer(), await customer()];
    const release = renderer.hold();
    const interactive = pages(concurrency + cores).map((path) =>
      engine.capture({ principal: busy, parameters: { url: `https://example.com/${path}` } }),
    );
    // an account leaves one slot free
    await renderer.whenCalled(concurrency - 1);
    engine.startWorker();
    await submit(neighbor, ["a"]);
    await renderer.whenCalled(concurrency);
    expect(renderer.options.at(-1)?.isolationKey).toBe(neighbor.account.id);
    release();
    await Promise.all(interactive);
  });

  it("is not delayed by the waiting interactive renders of two accounts that have their fair shares", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency: 2 * concurrency });
    const [first, second, neighbor] = [await customer(), await customer(), await customer()];
    const release = renderer.hold();
    const interactive = pages(concurrency).flatMap((path) =>
      [first, second].map((principal) =>
        engine.capture({ principal, parameters: { url: `https://example.com/${path}` } }),
      ),
    );
    // as many as there are slots; more need idle cores
    await renderer.whenCalled(concurrency);
    engine.startWorker();
    await submit(neighbor, ["a"]);
    await renderer.whenCalled(concurrency + 1);
    expect(renderer.options.at(-1)?.isolationKey).toBe(neighbor.account.id);
    release();
    await Promise.all(interactive);
  });

  it("is not delayed by the items of many accounts in quarantine", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency });
    const hostile = await Promise.all(Array.from({ length: concurrency }, () => customer()));
    renderer.failNext(
      new SnapError("upstream_error", "The page was ended.", { pageEnded: true }),
      concurrency,
    );
    for (const principal of hostile)
      await engine.capture({ principal, parameters: { url: "https://example.com/hostile" } }).catch(() => {});
    const release = renderer.hold();
    engine.startWorker();
    for (const principal of hostile) await submit(principal, ["b"]);
    // accounts in quarantine together get a quarter of the slots
    const started = concurrency + Math.max(1, Math.floor(concurrency / 4));
    await renderer.whenCalled(started);
    await flushMicrotasks();
    const neighbor = await customer();
    await submit(neighbor, ["a"]);
    await renderer.whenCalled(started + 1);
    expect(renderer.options.at(-1)?.isolationKey).toBe(neighbor.account.id);
    release();
  });

  it("is not delayed by accounts in quarantine that wait for interactive renders", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency });
    const hostile = await Promise.all(Array.from({ length: concurrency }, () => customer()));
    renderer.failNext(
      new SnapError("upstream_error", "The page was ended.", { pageEnded: true }),
      concurrency,
    );
    const capture = (principal: Customer, path: string) =>
      engine.capture({ principal, parameters: { url: `https://example.com/${path}` } });
    await Promise.allSettled(hostile.map((principal) => capture(principal, "hostile")));
    const release = renderer.hold();
    const interactive = hostile.map((principal) => capture(principal, "now"));
    const started = concurrency + Math.max(1, Math.floor(concurrency / 4));
    await renderer.whenCalled(started);
    engine.startWorker();
    const [principal] = hostile as [Customer];
    const { id: batchId } = await submit(principal, ["b"]);
    await submit(await customer(), ["a"]);
    await renderer.whenCalled(started + 1);
    expect(renderer.calls.at(-1)?.url).toBe("https://example.com/a");
    // the account's own item is not claimed before its interactive render has finished
    expect((await engine.batches.get({ principal, batchId })).items).toMatchObject([{ status: "queued" }]);
    release();
    await Promise.all(interactive);
  });
});

describe("a fair worker", () => {
  it("leaves one slot free for interactive requests from the same account", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency: 4 });
    const principal = await customer();
    const release = renderer.hold();
    engine.startWorker();
    await submit(principal, pages(20));
    await renderer.whenCalled(2);
    await flushMicrotasks();
    expect(renderer.calls).toHaveLength(2);
    const now = engine.capture({ principal, parameters: { url: "https://example.com/now" } });
    await renderer.whenCalled(3);
    release();
    expect((await now).cache).toBe("miss");
  });

  it("makes an item behind 200 items of another account wait for about one render", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency: 2 });
    const [busy, other] = [await customer(), await customer()];
    for (let batch = 0; batch < 10; batch += 1)
      await submit(
        busy,
        pages(20).map((path) => `${batch}-${path}`),
      );
    let release = renderer.hold();
    engine.startWorker();
    await renderer.whenCalled(1);
    await submit(other, ["mine"]);
    for (let renders = 2; renders <= 4; renders += 1) {
      await flushMicrotasks();
      const before = release;
      release = renderer.hold();
      before();
      await renderer.whenCalled(renders);
    }
    expect(renderer.calls.slice(0, 4).some(({ url }) => url === "https://example.com/mine")).toBe(true);
    release();
  });

  it("makes an item wait for about one item from each of six other accounts", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench({ concurrency: 2 });
    for (let account = 0; account < 6; account += 1)
      await submit(
        await customer(),
        pages(20).map((path) => `${account}-${path}`),
      );
    const principal = await customer();
    const { id: batchId } = await submit(principal, ["mine"]);
    engine.startWorker();
    await until({ principal, batchId }, isComplete);
    const order = renderer.calls.map(({ url }) => url);
    expect(order.indexOf("https://example.com/mine")).toBeLessThanOrEqual(8);
  });

  it("claims nothing while interactive requests occupy every slot", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench({ concurrency: 2 });
    const principals = [await customer(), await customer()];
    const [principal] = principals as [(typeof principals)[0], (typeof principals)[0]];
    const release = renderer.hold();
    const interactive = principals.map((caller, index) =>
      engine.capture({ principal: caller, parameters: { url: `https://example.com/now-${index}` } }),
    );
    await renderer.whenCalled(2);
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["later"]);
    await flushMicrotasks();
    expect((await engine.batches.get({ principal, batchId })).items[0]?.status).toBe("queued");
    expect(renderer.calls).toHaveLength(2);
    release();
    await Promise.all(interactive);
    await until({ principal, batchId }, isComplete);
  });

  it("retries an item if the service is busy", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench();
    const principal = await customer();
    renderer.failNext(new SnapError("upstream_rate_limited", "busy"), 3);
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done", credit_cost: 1 }]);
  });
});

describe("a failing resolver", () => {
  /** Fails for this long after the first lookup. */
  const failingFor = (durationMs: number, clock: () => number): Partial<EngineOptions> => {
    let firstAt: number | null = null;
    return {
      resolver: createFakeResolver({
        "example.com": () => (clock() - (firstAt ??= clock()) < durationMs ? "fails" : ["93.184.215.14"]),
      }),
    };
  };

  it("makes an item wait until the resolver recovers", async () => {
    const bench = openBatchBench(failingFor(10_000, () => bench.clock.now()));
    const { engine, clock, customer, submit, until } = bench;
    const principal = await customer();
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done", credit_cost: 1 }]);
    expect(clock.now() - START_MS).toBeLessThan(20_000);
    expect((await engine.credits(principal.account)).used).toBe(1);
  });

  it("fails the item only at the end of the retry window, after 12 attempts", async () => {
    const lookups: number[] = [];
    const bench = openBatchBench({
      resolver: createFakeResolver({
        "example.com": () => {
          lookups.push((bench.clock.now() - START_MS) / 1000);
          return "fails";
        },
      }),
    });
    const { engine, customer, submit, until } = bench;
    const principal = await customer();
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([
      { status: "failed", error: { code: "upstream_error" }, credit_cost: 0 },
    ]);
    expect((await engine.credits(principal.account)).used).toBe(0);
    // each up to half a second late, because workers poll
    expect(lookups.map((second) => Math.floor(second / 5) * 5)).toEqual([
      0, 15, 30, 60, 120, 240, 360, 480, 600, 720, 840, 900,
    ]);
  });
});

describe("a lost worker", () => {
  it("loses its item to another worker within 30 s, and its late settlement changes nothing", async () => {
    const { engine, renderer, open, customer, submit, until, clock } = openBatchBench();
    const principal = await customer();
    const release = renderer.hold();
    const { id: batchId } = await submit(principal, ["a"]);
    // its clock has no timers, so it never renews its leases
    open({ clock: { now: () => clock.now(), after: () => () => {} } }).startWorker();
    await renderer.whenCalled(1);
    clock.advance(25_000);
    engine.startWorker();
    await renderer.whenCalled(2);
    release();
    const batch = await until({ principal, batchId }, isComplete);
    expect(clock.now() - START_MS).toBeLessThanOrEqual(30_000);
    expect(batch.items).toMatchObject([{ status: "done" }]);
    await flushMicrotasks();
    expect((await engine.batches.get({ principal, batchId })).items).toEqual(batch.items);
    clock.advance(120_000);
    const { used, remaining } = await engine.credits(principal.account);
    expect(used).toBe(batch.items[0]?.credit_cost);
    expect(remaining).toBe(1000 - used);
  });

  it("makes its item fail if the item has already lost two workers", async () => {
    const { open, renderer, storage, customer, submit, clock, engine, until } = openBatchBench();
    const principal = await customer();
    const release = renderer.hold();
    const { id: batchId } = await submit(principal, ["poison"]);
    for (let start = 1; start <= 3; start += 1) {
      open({ clock: { now: () => clock.now(), after: () => () => {} } }).startWorker();
      await renderer.whenCalled(start);
      clock.advance(21_000);
    }
    engine.startWorker();
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([
      { status: "failed", error: { code: "render_failed" }, credit_cost: 0 },
    ]);
    expect(renderer.calls).toHaveLength(3);
    release();
    await flushMicrotasks();
    expect((await storage.batches.find(batchId))?.items[0]?.state.status).toBe("failed");
    expect((await engine.credits(principal.account)).used).toBe(0);
  });
});

describe("a worker with a claimed item", () => {
  it("keeps its lease with heartbeats during a long render", async () => {
    const { engine, open, renderer, customer, submit, advance, until } = openBatchBench();
    const principal = await customer();
    const release = renderer.hold();
    engine.startWorker();
    open().startWorker();
    const { id: batchId } = await submit(principal, ["long"]);
    await renderer.whenCalled(1);
    await advance(100_000);
    expect(renderer.calls).toHaveLength(1);
    release();
    expect((await until({ principal, batchId }, isComplete)).items).toMatchObject([{ credit_cost: 1 }]);
  });

  it("retries it after a storage failure, and reports the failure", async () => {
    const { engine, storage, errors, customer, submit, until } = openBatchBench();
    const principal = await customer();
    const { put } = storage.renderings;
    let failures = 2;
    (storage.renderings as { put: typeof put }).put = async (request) => {
      failures -= 1;
      if (failures >= 0) throw new Error("disk full");
      return put(request);
    };
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done", credit_cost: 1 }]);
    expect(errors.map(String)).toEqual(["Error: disk full", "Error: disk full"]);
    expect((await engine.credits(principal.account)).used).toBe(1);
  });
});

describe("a transaction that was committed", () => {
  it.each<[string, (repeat: () => Promise<BatchRecord | null>) => Promise<BatchRecord | null>]>([
    ["even if the storage repeats it", (repeat) => repeat()],
    ["even if its response is lost", () => Promise.reject(new Error("the connection was lost"))],
  ])("finishes, charges and reports its item once, %s", async (_, respond) => {
    const finished: unknown[] = [];
    const { engine, storage, customer, submit, until, advance, errors } = openBatchBench({
      historyRetentionMs: 7 * 86_400_000,
      onItemFinished: ({ itemId }) => finished.push(itemId),
    });
    const principal = await customer();
    const { change } = storage.batches;
    (storage.batches as { change: typeof change }).change = async (request) => {
      const changed = await change(request);
      return request.settle === undefined ? changed : respond(() => change(request));
    };
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    await flushMicrotasks();
    expect(batch.items).toMatchObject([{ status: "done", credit_cost: 1 }]);
    expect((await engine.credits(principal.account)).used).toBe(1);
    expect(finished).toEqual([batch.items[0]?.id]);
    await advance(2000);
    const { entries } = await engine.history.page({ limit: 9 });
    expect(entries).toMatchObject([{ requestId: batch.items[0]?.id }]);
    expect(errors).toEqual([]);
  });
});

describe("closing the engine", () => {
  it("finishes claimed items and leaves the rest queued", async () => {
    const { open, renderer, customer, submit, storage } = openBatchBench({ concurrency: 2 });
    const principal = await customer();
    const first = open({ storage: { ...storage, close: async () => {} } });
    const release = renderer.hold();
    const { id: batchId } = await submit(principal, pages(3));
    first.startWorker();
    await renderer.whenCalled(1);
    const closing = first.close();
    release();
    await closing;
    const after = await storage.batches.find(batchId);
    const statuses = after?.items.map(({ state }) => state.status);
    expect(statuses).toContain("done");
    expect(statuses).toContain("queued");
    expect(statuses).not.toContain("rendering");
  });
});
