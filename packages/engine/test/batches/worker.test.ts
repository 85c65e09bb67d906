import { describe, expect, it } from "vitest";
import { SnapError } from "../../src/errors.ts";
import { isComplete, microtasks, openBatchBench, START_MS } from "./open-engine.ts";

/* interface.md, States and transitions, and Limits; faults.md, Ledger, cache, queue. */

const pages = (count: number): string[] => Array.from({ length: count }, (_, index) => `page-${index}`);

describe("a worker", () => {
  it("renders nothing until there is one, then everything, charged once each", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench();
    const principal = await customer();
    const { id: batchId, status } = await submit(principal, pages(5));
    expect(status).toBe("pending");
    await microtasks();
    expect(renderer.calls).toHaveLength(0);
    engine.startWorker();
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items.map(({ status: state, credit_cost }) => [state, credit_cost])).toEqual(
      Array.from({ length: 5 }, () => ["done", 1]),
    );
    expect(batch.items[3]).toEqual({
      id: expect.stringMatching(/^item_[0-9a-f]{24}$/),
      url: "https://example.com/page-3",
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

  it("answers from the cache for no credit, and leaves the caller's repeat free", async () => {
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

  it("fails an item with the published code and refunds it", async () => {
    const { engine, renderer, customer, until } = openBatchBench();
    const principal = await customer();
    renderer.failNext(new SnapError("render_timeout", "The page took too long."));
    engine.startWorker();
    const { id: batchId } = await engine.batches.submit({
      principal,
      document: { items: [{ url: "https://example.com/slow" }, { url: "https://inside.example.com/" }] },
    });
    const batch = await until({ principal, batchId }, isComplete);
    const failed = { status: "failed", etag: null, signed_url: null, credit_cost: 0 };
    expect(batch.items).toMatchObject([
      { ...failed, error: { code: "render_timeout", message: "The page took too long." } },
      { ...failed, error: { code: "blocked_host", message: expect.any(String) } },
    ]);
    expect(await engine.credits(principal.account)).toMatchObject({ used: 0, remaining: 1000 });
  });

  it("fails what no credit is left for", async () => {
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
  ])("goes by the token as it is then: %s", async (what, code) => {
    const { engine, customer, submit, storage, pass } = openBatchBench();
    const principal = await customer();
    const { id } = await submit(principal, ["a"]);
    if (what === "rotated") await engine.tokens.rotate(principal.token.id);
    else await engine.tokens.revoke(principal.token.id);
    engine.startWorker();
    await pass(2000);
    const [item] = (await storage.batches.find(id))?.items ?? [];
    expect(item?.state).toMatchObject(code === null ? { status: "done" } : { status: "failed", code });
  });
});

describe("the account's render limit", () => {
  it("a batch of 20 on the default limit, with other traffic, finishes by itself", async () => {
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

  it("is waited for during a quarter of an hour, then the item fails, for no credit", async () => {
    const { engine, storage, customer, submit, until, clock } = openBatchBench();
    const principal = await customer({ requestsPerMinute: 1 });
    const takeAll = (): void => {
      const budget = {
        accountId: principal.account.id,
        name: "render",
        limit: 1,
        windowMs: 60_000,
      } as const;
      void storage.rateLimiter.consume({ ...budget, now: clock.now() });
      clock.after(10, takeAll);
    };
    takeAll();
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

  it("ends an item at the end of its window, whenever the account has room again", async () => {
    const { engine, customer, submit, until, clock } = openBatchBench({ batchRetryWindowMs: 6000 });
    const principal = await customer({ requestsPerMinute: 1 });
    engine.startWorker();
    const { id: batchId } = await submit(principal, pages(3));
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items.map(({ error }) => error?.code)).toEqual([undefined, "rate_limited", "rate_limited"]);
    expect(clock.now() - START_MS).toBeGreaterThanOrEqual(6000);
    expect(clock.now() - START_MS).toBeLessThan(7000);
  });

  it("does not hold up what is in the cache", async () => {
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

  it("of one account does not hold up another", async () => {
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
  it("are waited for: a render that fails gives its credit back to the next item", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench();
    const principal = await customer({ credits: 1 });
    const release = renderer.hold();
    renderer.failNext(new SnapError("render_timeout", "too slow"));
    engine.startWorker();
    const { id: batchId } = await submit(principal, pages(2));
    await renderer.whenCalled(1);
    await microtasks();
    release();
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([
      { status: "failed", error: { code: "render_timeout" }, credit_cost: 0 },
      { status: "done", credit_cost: 1 },
    ]);
  });

  it("of a worker that was lost come back to the item that they belong to", async () => {
    const { engine, open, renderer, customer, submit, until, clock } = openBatchBench();
    const principal = await customer({ credits: 1 });
    const release = renderer.hold();
    const { id: batchId } = await submit(principal, ["a"]);
    open({ clock: { now: () => clock.now(), after: () => () => {} } }).startWorker();
    await renderer.whenCalled(1);
    clock.advance(21_000);
    // What the lost worker holds never ends: another page is asked for now.
    engine.startWorker();
    await microtasks();
    expect((await engine.batches.get({ principal, batchId })).items[0]?.error).toBeNull();
    clock.advance(120_000);
    await microtasks();
    release();
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done" }]);
    expect((await engine.credits(principal.account)).used).toBe(batch.items[0]?.credit_cost);
  });
});

describe("turns", () => {
  it("a batch leaves one slot to the interactive requests of its own account", async () => {
    const { engine, renderer, customer, submit } = openBatchBench({ concurrency: 4 });
    const principal = await customer();
    const release = renderer.hold();
    engine.startWorker();
    await submit(principal, pages(20));
    await renderer.whenCalled(2);
    await microtasks();
    expect(renderer.calls).toHaveLength(2);
    const now = engine.capture({ principal, parameters: { url: "https://example.com/now" } });
    await renderer.whenCalled(3);
    release();
    expect((await now).cache).toBe("miss");
  });

  it("one item among another account's two hundred waits for about one render", async () => {
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
      await microtasks();
      const before = release;
      release = renderer.hold();
      before();
      await renderer.whenCalled(renders);
    }
    expect(renderer.calls.slice(0, 4).some(({ url }) => url === "https://example.com/mine")).toBe(true);
    release();
  });

  it("one item among the batches of six other accounts waits for about one turn of each", async () => {
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

  it("interactive requests go first: nothing is claimed while every slot is taken", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench({ concurrency: 2 });
    const principals = [await customer(), await customer()];
    const [principal] = principals as [(typeof principals)[0], (typeof principals)[0]];
    const release = renderer.hold();
    const interactive = principals.map((asking, index) =>
      engine.capture({ principal: asking, parameters: { url: `https://example.com/now-${index}` } }),
    );
    await renderer.whenCalled(2);
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["later"]);
    await microtasks();
    expect((await engine.batches.get({ principal, batchId })).items[0]?.status).toBe("queued");
    expect(renderer.calls).toHaveLength(2);
    release();
    await Promise.all(interactive);
    await until({ principal, batchId }, isComplete);
  });

  it("a service that is busy is no failure of the item", async () => {
    const { engine, renderer, customer, submit, until } = openBatchBench();
    const principal = await customer();
    renderer.failNext(new SnapError("upstream_rate_limited", "busy"), 3);
    engine.startWorker();
    const { id: batchId } = await submit(principal, ["a"]);
    const batch = await until({ principal, batchId }, isComplete);
    expect(batch.items).toMatchObject([{ status: "done", credit_cost: 1 }]);
  });
});

describe("a worker that is lost", () => {
  it("is followed by another within 30 s; what it settles late changes nothing", async () => {
    const { engine, renderer, open, customer, submit, until, clock } = openBatchBench();
    const principal = await customer();
    const release = renderer.hold();
    const { id: batchId } = await submit(principal, ["a"]);
    // Never renews its leases: its clock has no timers.
    open({ clock: { now: () => clock.now(), after: () => () => {} } }).startWorker();
    await renderer.whenCalled(1);
    clock.advance(25_000);
    engine.startWorker();
    await renderer.whenCalled(2);
    release();
    const batch = await until({ principal, batchId }, isComplete);
    expect(clock.now() - START_MS).toBeLessThanOrEqual(30_000);
    expect(batch.items).toMatchObject([{ status: "done" }]);
    await microtasks();
    expect((await engine.batches.get({ principal, batchId })).items).toEqual(batch.items);
    clock.advance(120_000);
    const { used, remaining } = await engine.credits(principal.account);
    expect(used).toBe(batch.items[0]?.credit_cost);
    expect(remaining).toBe(1000 - used);
  });

  it("three times with an item: the item fails", async () => {
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
    await microtasks();
    expect((await storage.batches.find(batchId))?.items[0]?.state.status).toBe("failed");
    expect((await engine.credits(principal.account)).used).toBe(0);
  });

  it("keeps an item for as long as it renders, by its heartbeat", async () => {
    const { engine, open, renderer, customer, submit, pass, until } = openBatchBench();
    const principal = await customer();
    const release = renderer.hold();
    engine.startWorker();
    open().startWorker();
    const { id: batchId } = await submit(principal, ["long"]);
    await renderer.whenCalled(1);
    await pass(100_000);
    expect(renderer.calls).toHaveLength(1);
    release();
    expect((await until({ principal, batchId }, isComplete)).items).toMatchObject([{ credit_cost: 1 }]);
  });

  it("by its storage failing is begun again, and told of", async () => {
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

describe("stopping", () => {
  it("finishes what it holds, leaves the rest queued, and another goes on", async () => {
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
