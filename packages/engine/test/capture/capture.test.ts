import { createFakeClock, createFakeRenderer, createFakeResolver, createMemoryStorage } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { type Engine } from "../../src/create-engine.ts";
import type { CaptureRequest } from "../../src/capture.ts";
import type { EngineOptions } from "../../src/engine-options.ts";
import { SnapError } from "../../src/errors.ts";
import type { Account } from "../../src/ports/accounts.ts";
import type { Ability, Principal } from "../../src/ports/tokens.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";
import { openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const url = "https://example.com/";

let clock: ReturnType<typeof createFakeClock>;
let renderer: ReturnType<typeof createFakeRenderer>;
let storage: ReturnType<typeof createMemoryStorage>;
let engine: Engine;

function open(options: Partial<EngineOptions> = {}): Engine {
  return openTestEngine({
    storage,
    renderer,
    clock,
    resolver: createFakeResolver({
      "example.com": ["93.184.215.14"],
      "inside.example.com": ["10.0.0.1"],
      "mixed.example.com": ["93.184.215.14", "127.0.0.1"],
      "down.example.com": "fails",
    }),
    ...options,
  });
}

beforeEach(() => {
  clock = createFakeClock(START_MS);
  renderer = createFakeRenderer();
  storage = createMemoryStorage();
  engine = open();
});

async function principalWith({
  credits = 10,
  requestsPerMinute = 1000,
  abilities,
  planSlug = "starter",
  verified = true,
}: {
  credits?: number;
  requestsPerMinute?: number;
  abilities?: readonly Ability[];
  planSlug?: string | null;
  verified?: boolean;
} = {}): Promise<Principal> {
  const account = await engine.accounts.create({
    email: `${crypto.randomUUID()}@example.com`,
    planSlug,
    creditsPerPeriod: credits,
    requestsPerMinute,
    verified,
  });
  const { token } = await engine.tokens.create({ accountId: account.id, ...(abilities && { abilities }) });
  return engine.authenticate(token);
}

async function used(account: Account): Promise<number> {
  return (await engine.credits(account)).used;
}

describe("capture", () => {
  it("renders once, then hits the cache", async () => {
    const principal = await principalWith();
    const first = await engine.capture({ principal, parameters: { url } });
    expect(first).toMatchObject({
      cache: "miss",
      creditCost: 1,
      unchanged: false,
      rateLimit: { limit: 1000, remaining: 999 },
    });
    expect(first.rendering.contentType).toBe("image/png");
    expect(first.rendering.etag).toMatch(/^"[0-9a-f]{64}"$/);
    const second = await engine.capture({ principal, parameters: new URLSearchParams({ url }) });
    expect(second).toMatchObject({ cache: "hit", creditCost: 0, rateLimit: { limit: 300, remaining: 299 } });
    expect(second.rendering).toEqual(first.rendering);
    expect(await used(principal.account)).toBe(1);
  });

  it("caches a rendering for exactly cacheTtl seconds", async () => {
    const principal = await principalWith();
    const parameters = { url, cacheTtl: 60 };
    await engine.capture({ principal, parameters });
    clock.advance(59_999);
    expect((await engine.capture({ principal, parameters })).cache).toBe("hit");
    clock.advance(1);
    expect((await engine.capture({ principal, parameters })).cache).toBe("miss");
  });

  it("renders again with cache=false, and does not change the cache", async () => {
    const principal = await principalWith();
    const bypass = { principal, parameters: { url, cache: false } };
    expect(await engine.capture(bypass)).toMatchObject({ cache: "bypass", creditCost: 1 });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("miss");
    expect((await engine.capture(bypass)).cache).toBe("bypass");
    expect(await used(principal.account)).toBe(3);
  });

  it("renders each request with cache=false, even if an identical one is running", async () => {
    const principal = await principalWith();
    const request = { principal, parameters: { url, cache: false } };
    const captures = await Promise.all([engine.capture(request), engine.capture(request)]);
    expect(captures.map(({ cache }) => cache)).toEqual(["bypass", "bypass"]);
    expect(renderer.calls).toHaveLength(2);
  });

  it("never returns a cached rendering of another account", async () => {
    const [ada, bob] = [await principalWith(), await principalWith()];
    await engine.capture({ principal: ada, parameters: { url } });
    expect((await engine.capture({ principal: bob, parameters: { url } })).cache).toBe("miss");
  });

  it("counts an unchanged bypass against the render limit, but not an unchanged hit", async () => {
    const principal = await principalWith();
    const { rendering } = await engine.capture({ principal, parameters: { url } });
    const holds = (etag: string): boolean => etag === rendering.etag;
    expect(await engine.capture({ principal, parameters: { url }, holds })).toMatchObject({
      unchanged: true,
      cache: "hit",
      rateLimit: null,
    });
    expect(await engine.capture({ principal, parameters: { url, cache: false }, holds })).toMatchObject({
      unchanged: true,
      cache: "bypass",
      creditCost: 1,
      rateLimit: { limit: 1000, remaining: 998 },
    });
  });

  it("does not return a capped rendering if the default waitUntil is sent explicitly", async () => {
    const principal = await principalWith();
    const first = await engine.capture({ principal, parameters: { url } });
    const key = await keyOf(principal.account.id);
    await storage.renderings.put({ ...key, rendering: { ...first.rendering, notes: ["wait-capped"] } });
    const fresh = open();
    const strict = { url, waitUntil: "networkidle2" };
    expect((await fresh.capture({ principal, parameters: { url } })).cache).toBe("hit");
    expect((await fresh.capture({ principal, parameters: strict })).cache).toBe("miss");
    expect((await fresh.capture({ principal, parameters: strict })).cache).toBe("hit");
    expect((await fresh.capture({ principal, parameters: { url } })).rendering.notes).toEqual([]);
  });

  it.each([{}, { waitUntil: "load" }])("caches a capped rendering with parameters %j", async (wait) => {
    renderer = createFakeRenderer({ notes: ["wait-capped"] });
    engine = open();
    const principal = await principalWith();
    const parameters = { url, ...wait };
    expect((await engine.capture({ principal, parameters })).cache).toBe("miss");
    expect((await engine.capture({ principal, parameters })).cache).toBe("hit");
    expect(await used(principal.account)).toBe(1);
  });

  it("treats a stored rendering that no longer matches its entity tag as a miss", async () => {
    const principal = await principalWith();
    const first = await engine.capture({ principal, parameters: { url } });
    const key = await keyOf(principal.account.id);
    await storage.renderings.put({
      ...key,
      rendering: { ...first.rendering, bytes: Buffer.from("not what was stored") },
    });
    const fresh = open();
    expect((await fresh.capture({ principal, parameters: { url } })).cache).toBe("miss");
    expect((await fresh.capture({ principal, parameters: { url } })).rendering).toEqual(first.rendering);
  });
});

/** Returns the cache key of a rendering of `url`. */
async function keyOf(accountId: string): Promise<{ accountId: string; key: string }> {
  const { createCacheKey } = await import("../../src/parameters/cache-key.ts");
  const { parseParameters } = await import("../../src/parameters/parse.ts");
  const cacheKey = createCacheKey({ digest: (secret) => secret });
  return { accountId, key: cacheKey(parseParameters({ url })) };
}

describe("capture, before it renders,", () => {
  it("rejects an unverified account before invalid parameters", async () => {
    const principal = await principalWith({ verified: false });
    await expect(engine.capture({ principal, parameters: {} })).rejects.toMatchObject({
      code: "email_unverified",
      status: 403,
    });
  });

  it.each([undefined, null])("reports that url is missing if the parameters are %s", async (parameters) => {
    const principal = await principalWith({});
    const request = { principal, parameters } as unknown as CaptureRequest;
    await expect(engine.capture(request)).rejects.toMatchObject({
      code: "invalid_url",
      errors: { url: [expect.stringMatching(/^is required and must /)] },
    });
  });

  it("reports invalid parameters before a missing ability, and a missing ability before a blocked host", async () => {
    const principal = await principalWith({ abilities: ["screenshot"] });
    await expect(
      engine.capture({ principal, parameters: { url, pdf: true, delay: 5 } }),
    ).rejects.toMatchObject({ code: "validation_failed" });
    await expect(engine.capture({ principal, parameters: { url, pdf: true } })).rejects.toMatchObject({
      code: "missing_ability",
      status: 403,
    });
    await expect(
      engine.capture({ principal, parameters: { url: "http://127.0.0.1/", pdf: true } }),
    ).rejects.toMatchObject({ code: "missing_ability" });
  });

  it("rejects a private host before name resolution, without counting a render", async () => {
    const principal = await principalWith({ requestsPerMinute: 1 });
    for (const blocked of ["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://db.internal/"])
      await expect(engine.capture({ principal, parameters: { url: blocked } })).rejects.toMatchObject({
        code: "blocked_host",
        status: 422,
      });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("miss");
  });

  it.each([
    ["https://inside.example.com/", "blocked_host"],
    ["https://mixed.example.com/", "blocked_host"],
    ["https://nowhere.example.com/", "target_unreachable"],
    ["https://down.example.com/", "upstream_error"],
  ])("checks what a name resolves to, and refunds the credit: %s fails with %s", async (target, code) => {
    const principal = await principalWith();
    await expect(engine.capture({ principal, parameters: { url: target } })).rejects.toMatchObject({ code });
    expect(await used(principal.account)).toBe(0);
    expect((await engine.credits(principal.account)).remaining).toBe(10);
    expect(renderer.calls).toHaveLength(0);
  });

  it("counts 402 responses as renders, and checks the rate limit first", async () => {
    const poor = await principalWith({ credits: 0, requestsPerMinute: 2 });
    for (let time = 0; time < 2; time += 1)
      await expect(engine.capture({ principal: poor, parameters: { url } })).rejects.toMatchObject({
        code: "credit_limit_reached",
        status: 402,
      });
    await expect(engine.capture({ principal: poor, parameters: { url } })).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterSeconds: 60,
      rateLimit: { limit: 2, remaining: 0 },
    });
  });

  it("rejects an account without a plan", async () => {
    const { account } = await principalWith({ planSlug: null });
    const { token } = await engine.tokens.create({ accountId: account.id });
    const principal = await engine.authenticate(token);
    await expect(engine.capture({ principal, parameters: { url } })).rejects.toMatchObject({
      code: "no_active_plan",
      status: 402,
    });
    expect(await engine.credits(account)).toEqual({ limit: 0, remaining: 0, used: 0, resetsAt: null });
  });

  it("returns a cached rendering even if no credits remain", async () => {
    const principal = await principalWith({ credits: 1 });
    await engine.capture({ principal, parameters: { url } });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("hit");
  });
});

describe("capture, after a failure,", () => {
  it.each([
    ["render_failed", 500],
    ["render_timeout", 504],
    ["upstream_error", 502],
    ["target_unreachable", 422],
  ] as const)("refunds the credit: %s", async (code, status) => {
    const principal = await principalWith();
    renderer.failNext(new SnapError(code, "as scripted"));
    await expect(engine.capture({ principal, parameters: { url } })).rejects.toMatchObject({ code, status });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 10, used: 0 });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("miss");
  });

  it("rejects a file larger than maxRenderingBytes, and refunds the credit", async () => {
    const principal = await principalWith();
    const parameters = { url, waitUntil: "load" };
    const huge = {
      ...renderer,
      render: async () =>
        ({
          bytes: new Uint8Array(200_000_000),
          contentType: "image/png",
          targetStatus: 200,
          notes: [],
        }) as const,
    };
    await expect(open({ renderer: huge }).capture({ principal, parameters })).rejects.toMatchObject({
      code: "render_failed",
      status: 500,
      message:
        "The rendering is larger than the limit of 67,108,864 bytes. Capture less of the page; for a screenshot, use WebP or JPEG instead of PNG.",
      notes: ["capture-too-large"],
    });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 10, used: 0 });
    const { rendering } = await engine.capture({ principal, parameters });
    const maxRenderingBytes = rendering.bytes.byteLength;
    const captureWith = (options: Partial<EngineOptions>): Promise<unknown> =>
      open(options).capture({ principal, parameters: { ...parameters, cache: false } });
    await captureWith({ maxRenderingBytes });
    await expect(captureWith({ maxRenderingBytes: maxRenderingBytes - 1 })).rejects.toMatchObject({
      notes: ["capture-too-large"],
    });
  });

  it("refunds the credit if the caller's own check of the entity tag throws", async () => {
    const principal = await principalWith({ credits: 5 });
    const holds = (): never => {
      throw new TypeError("no If-None-Match");
    };
    const capture = engine.capture({ principal, parameters: { url }, holds });
    const joined = engine.capture({ principal, parameters: { url } });
    await expect(capture).rejects.toMatchObject({ code: "server_error" });
    expect(await joined).toMatchObject({ cache: "miss", creditCost: 1 });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 4, used: 1 });
  });

  it("throws server_error, and refunds the credit, if the rendering cannot be stored", async () => {
    const principal = await principalWith();
    const full = {
      ...storage.renderings,
      put: async () => {
        throw new Error("disk full");
      },
    };
    const failing = open({ storage: { ...storage, renderings: full } });
    await expect(failing.capture({ principal, parameters: { url } })).rejects.toMatchObject({
      code: "server_error",
      status: 500,
      detail: "Error: disk full",
    });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 10, used: 0 });
  });

  /** Returns an engine whose settlements fail without a definite result. */
  const withLostSettlement = ({
    isCommitted,
    canRefund,
  }: {
    isCommitted: boolean;
    canRefund: boolean;
  }): Engine => {
    const lost = (): never => {
      throw new Error("connection lost");
    };
    const ledger: typeof storage.ledger = {
      ...storage.ledger,
      async settle(request) {
        if (isCommitted) await storage.ledger.settle(request);
        return lost();
      },
      refund: async (request) => (canRefund ? storage.ledger.refund(request) : lost()),
    };
    return open({ storage: { ...storage, ledger } });
  };

  it("returns the rendering if its settlement was committed but the result was lost", async () => {
    const principal = await principalWith();
    const failing = withLostSettlement({ isCommitted: true, canRefund: true });
    expect(await failing.capture({ principal, parameters: { url } })).toMatchObject({
      cache: "miss",
      creditCost: 1,
      balance: { reserved: 1 },
    });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 9, used: 1 });
  });

  it.each([
    ["refunds the credit", true, 10],
    ["refunds the credit in the background", false, 9],
  ])(
    "throws server_error, and %s, if the settlement was not committed",
    async (_what, canRefund, remaining) => {
      const principal = await principalWith();
      const failing = withLostSettlement({ isCommitted: false, canRefund });
      await expect(failing.capture({ principal, parameters: { url } })).rejects.toMatchObject({
        code: "server_error",
      });
      expect(await engine.credits(principal.account)).toMatchObject({ remaining, used: 0 });
      clock.advance(1000);
      await flushMicrotasks();
      expect(await engine.credits(principal.account)).toMatchObject({ remaining: 10, used: 0 });
      expect(await engine.capture({ principal, parameters: { url } })).toMatchObject({ cache: "hit" });
    },
  );
});

describe("concurrently,", () => {
  const count = (outcomes: readonly PromiseSettledResult<{ cache: string }>[]): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const outcome of outcomes) {
      const name = outcome.status === "fulfilled" ? outcome.value.cache : (outcome.reason as SnapError).code;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  };
  const times = async <T>(
    n: number,
    work: (index: number) => Promise<T>,
  ): Promise<PromiseSettledResult<T>[]> =>
    Promise.allSettled(Array.from({ length: n }, (_, index) => work(index)));

  it("1 of 50 different captures succeeds if 1 credit remains", async () => {
    const principal = await principalWith({ credits: 1 });
    const outcomes = await times(50, (index) =>
      engine.capture({ principal, parameters: { url: `${url}?${index}` } }),
    );
    expect(count(outcomes)).toEqual({ miss: 1, credit_limit_reached: 49 });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 0, used: 1 });
  });

  it("50 identical captures cause 1 miss and 49 hits, and cost 1 credit", async () => {
    const principal = await principalWith();
    const outcomes = await times(50, () => engine.capture({ principal, parameters: { url } }));
    expect(count(outcomes)).toEqual({ miss: 1, hit: 49 });
    expect(renderer.calls).toHaveLength(1);
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 9, used: 1 });
  });

  it("50 identical captures each count against the rate limit if no credits remain", async () => {
    const principal = await principalWith({ credits: 0, requestsPerMinute: 20 });
    const outcomes = await times(50, () => engine.capture({ principal, parameters: { url } }));
    expect(count(outcomes)).toEqual({ credit_limit_reached: 20, rate_limited: 30 });
  });

  /** Opens an engine with one slot, which another account's render occupies until `release`. */
  const withOccupiedSlot = async (): Promise<{
    readonly single: Engine;
    readonly running: ReturnType<Engine["capture"]>;
    readonly release: () => void;
  }> => {
    const single = open({ concurrency: 1 });
    const release = renderer.hold();
    const running = single.capture({
      principal: await principalWith(),
      parameters: { url: `${url}?running` },
    });
    await renderer.whenCalled(1);
    return { single, running, release };
  };

  it("an interactive request that joins a waiting batch item raises its priority", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withOccupiedSlot();
    const items = ["first", "second", "third"].map((name) =>
      single.capture({ principal, parameters: { url: `${url}?${name}` }, priority: "batch" }),
    );
    await flushMicrotasks();
    const joined = single.capture({ principal, parameters: { url: `${url}?third` } });
    await flushMicrotasks();
    release();
    const captures = await Promise.all([joined, ...items, running]);
    expect(captures.map(({ cache }) => cache)).toEqual(["hit", "miss", "miss", "miss", "miss"]);
    expect(renderer.calls.map((call) => call.url.split("?")[1])).toEqual([
      "running",
      "third",
      "first",
      "second",
    ]);
  });

  it("a leader that gives up waiting for a slot does not fail the requests that joined it", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withOccupiedSlot();
    const impatient = single.capture({ principal, parameters: { url }, maxWaitMs: 10_000 });
    impatient.catch(() => {});
    await flushMicrotasks();
    const joined = single.capture({ principal, parameters: { url } });
    await flushMicrotasks();
    clock.advance(10_000);
    await expect(impatient).rejects.toMatchObject({ code: "upstream_rate_limited" });
    await flushMicrotasks();
    release();
    expect([(await running).cache, (await joined).cache]).toEqual(["miss", "miss"]);
    expect(await used(principal.account)).toBe(1);
  });

  it("a leader that does not accept the file does not fail the requests that joined it", async () => {
    const principal = await principalWith();
    const release = renderer.hold();
    const rejection = new SnapError("render_failed", "too large to inline");
    const accept = (): never => {
      throw rejection;
    };
    const picky = engine.capture({ principal, parameters: { url }, accept });
    picky.catch(() => {});
    await renderer.whenCalled(1);
    const joined = [1, 2].map(() => engine.capture({ principal, parameters: { url } }));
    await flushMicrotasks();
    release();
    await expect(picky).rejects.toBe(rejection);
    expect((await Promise.all(joined)).map(({ cache }) => cache)).toEqual(["miss", "hit"]);
    expect(await used(principal.account)).toBe(1);
  });

  it("a request that joined waits at most its own maxWaitMs for a slot", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withOccupiedSlot();
    const leader = single.capture({ principal, parameters: { url } });
    await flushMicrotasks();
    const joined = single.capture({ principal, parameters: { url }, maxWaitMs: 10_000 });
    joined.catch(() => {});
    await flushMicrotasks();
    clock.advance(10_000);
    await expect(joined).rejects.toMatchObject({ code: "upstream_rate_limited", status: 503 });
    release();
    expect([(await running).cache, (await leader).cache]).toEqual(["miss", "miss"]);
    expect(await used(principal.account)).toBe(1);
  });

  it("a request that joins a running render waits for it even beyond its own maxWaitMs", async () => {
    const principal = await principalWith();
    const release = renderer.hold();
    const leader = engine.capture({ principal, parameters: { url } });
    await renderer.whenCalled(1);
    const joined = engine.capture({ principal, parameters: { url }, maxWaitMs: 10_000 });
    await flushMicrotasks();
    clock.advance(40_000);
    release();
    expect([(await leader).cache, (await joined).cache]).toEqual(["miss", "hit"]);
  });

  it("identical requests without a free slot all give up when the first wait ends", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withOccupiedSlot();
    const captures = Array.from({ length: 6 }, () => single.capture({ principal, parameters: { url } }));
    const ended = Promise.allSettled(captures);
    await flushMicrotasks();
    clock.advance(60_000);
    // they give up one after another, at the same instant
    for (let step = 0; step < 10; step += 1) {
      await flushMicrotasks();
      clock.advance(0);
    }
    for (const { code } of (await ended).map((one) => (one as PromiseRejectedResult).reason as SnapError))
      expect(code).toBe("upstream_rate_limited");
    release();
    await running;
    expect(await used(principal.account)).toBe(0);
  });

  it("close() waits for a capture to store and settle its rendering", async () => {
    const principal = await principalWith();
    const stored = Promise.withResolvers<void>();
    const putStarted = Promise.withResolvers<void>();
    const events: string[] = [];
    const { renderings, ledger } = storage;
    const slow = open({
      storage: {
        ...storage,
        renderings: {
          ...renderings,
          async put(request) {
            putStarted.resolve();
            await stored.promise;
            await renderings.put(request);
          },
        },
        ledger: { ...ledger, settle: (request) => (events.push("settled"), ledger.settle(request)) },
        close: async () => void events.push("closed"),
      },
    });
    const captured = slow.capture({ principal, parameters: { url } });
    await putStarted.promise;
    const closed = slow.close();
    await flushMicrotasks();
    stored.resolve();
    expect((await captured).cache).toBe("miss");
    await closed;
    expect(events).toEqual(["settled", "closed"]);
  });

  it("exactly 20 of 100 captures succeed if the limit is 20", async () => {
    const principal = await principalWith({ credits: 1000, requestsPerMinute: 20 });
    const outcomes = await times(100, (index) =>
      engine.capture({ principal, parameters: { url: `${url}?${index}` } }),
    );
    expect(count(outcomes)).toEqual({ miss: 20, rate_limited: 80 });
    clock.advance(60_000);
    expect((await engine.capture({ principal, parameters: { url: `${url}?new` } })).cache).toBe("miss");
  });

  it("300 of 301 cache hits in a minute succeed", async () => {
    const principal = await principalWith();
    await engine.capture({ principal, parameters: { url } });
    const outcomes = await times(301, () => engine.capture({ principal, parameters: { url } }));
    expect(count(outcomes)).toEqual({ hit: 300, rate_limited: 1 });
  });
});

describe("usage", () => {
  it("reports credits, plan, period and limits", async () => {
    const principal = await principalWith({ credits: 10, requestsPerMinute: 90 });
    await engine.capture({ principal, parameters: { url } });
    expect(await engine.usage(principal)).toEqual({
      credits: { remaining: 9, used: 1, total: 10 },
      plan: { name: "Starter", slug: "starter" },
      period: { started_at: "2026-03-01T12:00:00.000Z", resets_at: "2026-04-01T12:00:00.000Z" },
      rate_limit: { requests_per_minute: 90, cached_requests_per_minute: 300 },
    });
  });

  it("is available to every account, 60 times a minute", async () => {
    const principal = await principalWith({ planSlug: null, verified: false });
    for (let time = 0; time < 60; time += 1)
      expect(await engine.usage(principal)).toMatchObject({
        plan: null,
        period: null,
        credits: { remaining: 0, used: 0, total: 0 },
      });
    await expect(engine.usage(principal)).rejects.toMatchObject({
      code: "rate_limited",
      rateLimit: { limit: 60, remaining: 0 },
    });
  });

  it("reports the full credits of the next period, and carries nothing over", async () => {
    const principal = await principalWith({ credits: 2 });
    await engine.capture({ principal, parameters: { url } });
    clock.set(Date.parse("2026-04-01T12:00:00Z"));
    expect(await engine.usage(principal)).toMatchObject({
      credits: { remaining: 2, used: 0, total: 2 },
      period: { started_at: "2026-04-01T12:00:00.000Z", resets_at: "2026-05-01T12:00:00.000Z" },
    });
  });
});

describe("tokens", () => {
  it("stop working when they expire, are rotated or are revoked", async () => {
    const { account } = await principalWith();
    const expiring = await engine.tokens.create({ accountId: account.id, expiresAt: START_MS + 1000 });
    const rotated = await engine.tokens.create({ accountId: account.id, abilities: ["pdf"] });
    clock.advance(999);
    expect((await engine.authenticate(expiring.token)).token.id).toBe(expiring.record.id);
    clock.advance(1);
    await expect(engine.authenticate(expiring.token)).rejects.toMatchObject({
      code: "unauthenticated",
      status: 401,
    });

    const next = await engine.tokens.rotate(rotated.record.id);
    expect(next.record).toMatchObject({ id: rotated.record.id, abilities: ["pdf"], expiresAt: null });
    expect(next.signingSecret).not.toBe(rotated.signingSecret);
    await expect(engine.authenticate(rotated.token)).rejects.toMatchObject({ code: "unauthenticated" });
    expect((await engine.authenticate(next.token)).token.abilities).toEqual(["pdf"]);
    expect((await engine.tokens.reveal(rotated.record.id)).signingSecret).toBe(next.signingSecret);

    await engine.tokens.revoke(rotated.record.id);
    await expect(engine.authenticate(next.token)).rejects.toMatchObject({ code: "unauthenticated" });
  });

  it.each(["", "nonsense", `1|${"a".repeat(43)}`, `999|${"a".repeat(43)}`])(
    "are rejected if malformed or unknown: %j",
    async (token) => {
      await principalWith();
      await expect(engine.authenticate(token)).rejects.toMatchObject({ code: "unauthenticated" });
    },
  );
});

describe("pruning", () => {
  it("deletes expired renderings periodically, one at a time", async () => {
    const { prune } = storage.renderings;
    const limits: number[] = [];
    const renderings = {
      ...storage.renderings,
      prune: (request: Parameters<typeof prune>[0]) => (limits.push(request.limit), prune(request)),
    };
    open({ storage: { ...storage, renderings } });
    const principal = await principalWith({ credits: 1000 });
    for (let index = 0; index < 20; index += 1)
      await engine.capture({ principal, parameters: { url: `${url}?${index}`, cacheTtl: 60 } });
    const nextMacrotask = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    for (let portion = 0; portion < 20; portion += 1) {
      await nextMacrotask();
      clock.advance(5);
    }
    await nextMacrotask();
    expect(await prune({ now: clock.now(), limit: 1000 })).toBe(0);
    expect(new Set(limits)).toEqual(new Set([1]));
  });

  it("continues after a failure, and reports it", async () => {
    const failures: unknown[] = [];
    const failing = {
      ...storage.renderings,
      prune: async (): Promise<number> => {
        throw new Error("database is locked");
      },
    };
    open({
      storage: { ...storage, renderings: failing },
      onBackgroundError: (error) => failures.push(error),
    });
    for (let minute = 0; minute < 2; minute += 1) {
      clock.advance(60_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(failures).toEqual([new Error("database is locked"), new Error("database is locked")]);
  });
});
