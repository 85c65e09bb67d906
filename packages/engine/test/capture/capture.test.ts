import {
  createFakeClock,
  createFakeMachine,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryStorage,
} from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import type { EngineOptions } from "../../src/engine-options.ts";
import { SnapError } from "../../src/errors.ts";
import type { Account } from "../../src/ports/accounts.ts";
import type { Ability, Principal } from "../../src/ports/tokens.ts";
import { microtasks } from "../batches/open-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const url = "https://example.com/";

let clock: ReturnType<typeof createFakeClock>;
let renderer: ReturnType<typeof createFakeRenderer>;
let storage: ReturnType<typeof createMemoryStorage>;
let engine: Engine;

function open(options: Partial<EngineOptions> = {}): Engine {
  return createEngine({
    storage,
    renderer,
    secretKey: "a key for these tests",
    clock,
    machine: createFakeMachine(),
    random: createFakeRandom(1),
    resolver: createFakeResolver({
      "example.com": ["93.184.215.14"],
      "inside.example.com": ["10.0.0.1"],
      "mixed.example.com": ["93.184.215.14", "127.0.0.1"],
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
  it("renders once, then answers from the cache", async () => {
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

  it("keeps a rendering for cacheTtl seconds, to the millisecond", async () => {
    const principal = await principalWith();
    const parameters = { url, cacheTtl: 60 };
    await engine.capture({ principal, parameters });
    clock.advance(59_999);
    expect((await engine.capture({ principal, parameters })).cache).toBe("hit");
    clock.advance(1);
    expect((await engine.capture({ principal, parameters })).cache).toBe("miss");
  });

  it("renders again with cache=false, keeps nothing, and leaves what was kept alone", async () => {
    const principal = await principalWith();
    const bypass = { principal, parameters: { url, cache: false } };
    expect(await engine.capture(bypass)).toMatchObject({ cache: "bypass", creditCost: 1 });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("miss");
    expect((await engine.capture(bypass)).cache).toBe("bypass");
    expect(await used(principal.account)).toBe(3);
  });

  it("never answers one account from another's cache", async () => {
    const [ada, bob] = [await principalWith(), await principalWith()];
    await engine.capture({ principal: ada, parameters: { url } });
    expect((await engine.capture({ principal: bob, parameters: { url } })).cache).toBe("miss");
  });

  it("spends neither budget for an unchanged hit, and a render for an unchanged bypass", async () => {
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

  it("never answers a waitUntil that was sent with a capture that was cut short", async () => {
    const principal = await principalWith();
    const first = await engine.capture({ principal, parameters: { url } });
    const [key] = await findKept(principal.account.id);
    await storage.renderings.put({ ...key!, rendering: { ...first.rendering, notes: ["wait-capped"] } });
    const fresh = open();
    const strict = { url, waitUntil: "networkidle2" };
    expect((await fresh.capture({ principal, parameters: { url } })).cache).toBe("hit");
    expect((await fresh.capture({ principal, parameters: strict })).cache).toBe("miss");
    expect((await fresh.capture({ principal, parameters: strict })).cache).toBe("hit");
    expect((await fresh.capture({ principal, parameters: { url } })).rendering.notes).toEqual([]);
  });

  it("treats a stored rendering that no longer matches its digest as a miss", async () => {
    const principal = await principalWith();
    const first = await engine.capture({ principal, parameters: { url } });
    const [call] = await findKept(principal.account.id);
    await storage.renderings.put({
      ...call!,
      rendering: { ...first.rendering, bytes: Buffer.from("not what was stored") },
    });
    const fresh = open();
    expect((await fresh.capture({ principal, parameters: { url } })).cache).toBe("miss");
    expect((await fresh.capture({ principal, parameters: { url } })).rendering).toEqual(first.rendering);
  });
});

/** The key under which the only capture of these tests is kept. */
async function findKept(accountId: string): Promise<{ accountId: string; key: string }[]> {
  const { cacheKey } = await import("../../src/parameters/cache-key.ts");
  const { parseParameters } = await import("../../src/parameters/parse.ts");
  return [{ accountId, key: cacheKey(parseParameters({ url })) }];
}

describe("checks, in order", () => {
  it("refuses an unverified account before it looks at parameters", async () => {
    const principal = await principalWith({ verified: false });
    await expect(engine.capture({ principal, parameters: {} })).rejects.toMatchObject({
      code: "email_unverified",
      status: 403,
    });
  });

  it("refuses parameters before the permission", async () => {
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

  it("refuses a private host by its form, and spends nothing on it", async () => {
    const principal = await principalWith({ requestsPerMinute: 1 });
    for (const refused of ["http://127.0.0.1/", "http://localhost/", "http://[::1]/", "http://db.internal/"])
      await expect(engine.capture({ principal, parameters: { url: refused } })).rejects.toMatchObject({
        code: "blocked_host",
        status: 422,
      });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("miss");
  });

  it.each([
    ["https://inside.example.com/", "blocked_host"],
    ["https://mixed.example.com/", "blocked_host"],
    ["https://nowhere.example.com/", "target_unreachable"],
  ])("judges what a name resolves to when it has to render: %s is %s, refunded", async (target, code) => {
    const principal = await principalWith();
    await expect(engine.capture({ principal, parameters: { url: target } })).rejects.toMatchObject({ code });
    expect(await used(principal.account)).toBe(0);
    expect((await engine.credits(principal.account)).remaining).toBe(10);
    expect(renderer.calls).toHaveLength(0);
  });

  it("counts 402 refusals as renders, and refuses with 429 before 402", async () => {
    const broke = await principalWith({ credits: 0, requestsPerMinute: 2 });
    for (let time = 0; time < 2; time += 1)
      await expect(engine.capture({ principal: broke, parameters: { url } })).rejects.toMatchObject({
        code: "credit_limit_reached",
        status: 402,
      });
    await expect(engine.capture({ principal: broke, parameters: { url } })).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterSeconds: 60,
      rateLimit: { limit: 2, remaining: 0 },
    });
  });

  it("refuses an account without a plan, which still has the default render limit", async () => {
    const { account } = await principalWith({ planSlug: null });
    const { token } = await engine.tokens.create({ accountId: account.id });
    const principal = await engine.authenticate(token);
    await expect(engine.capture({ principal, parameters: { url } })).rejects.toMatchObject({
      code: "no_active_plan",
      status: 402,
    });
    expect(await engine.credits(account)).toEqual({ limit: 0, remaining: 0, used: 0, resetsAt: null });
  });

  it("still answers from the cache when the credits are spent", async () => {
    const principal = await principalWith({ credits: 1 });
    await engine.capture({ principal, parameters: { url } });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("hit");
  });
});

describe("failures", () => {
  it.each([
    ["render_failed", 500],
    ["render_timeout", 504],
    ["upstream_error", 502],
    ["target_unreachable", 422],
  ] as const)("refunds %s", async (code, status) => {
    const principal = await principalWith();
    renderer.failNext(new SnapError(code, "as scripted"));
    await expect(engine.capture({ principal, parameters: { url } })).rejects.toMatchObject({ code, status });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 10, used: 0 });
    expect((await engine.capture({ principal, parameters: { url } })).cache).toBe("miss");
  });

  it("answers server_error, and refunds, when the rendering can't be stored", async () => {
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

  /** An engine whose settlements get no answer. */
  const withLostAnswers = ({ isWritten, tells }: { isWritten: boolean; tells: boolean }): Engine => {
    const lost = (): never => {
      throw new Error("no answer");
    };
    const ledger: typeof storage.ledger = {
      ...storage.ledger,
      async settle(request) {
        if (isWritten) await storage.ledger.settle(request);
        return lost();
      },
      refund: async (request) => (tells ? storage.ledger.refund(request) : lost()),
    };
    return open({ storage: { ...storage, ledger } });
  };

  it("answers the rendering when its settlement was written and the answer to that is lost", async () => {
    const principal = await principalWith();
    const failing = withLostAnswers({ isWritten: true, tells: true });
    expect(await failing.capture({ principal, parameters: { url } })).toMatchObject({
      cache: "miss",
      creditCost: 1,
      balance: { reserved: 1 },
    });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 9, used: 1 });
  });

  it.each([
    ["refunds", true, 10],
    ["refunds in the background", false, 9],
  ])("answers server_error, and %s, when the settlement wasn't written", async (_what, tells, remaining) => {
    const principal = await principalWith();
    const failing = withLostAnswers({ isWritten: false, tells });
    await expect(failing.capture({ principal, parameters: { url } })).rejects.toMatchObject({
      code: "server_error",
    });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining, used: 0 });
    clock.advance(1000);
    await microtasks();
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 10, used: 0 });
    expect(await engine.capture({ principal, parameters: { url } })).toMatchObject({ cache: "hit" });
  });
});

describe("at the same time", () => {
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

  it("50 different requests with 1 credit: one rendering, 49 credit_limit_reached", async () => {
    const principal = await principalWith({ credits: 1 });
    const outcomes = await times(50, (index) =>
      engine.capture({ principal, parameters: { url: `${url}?${index}` } }),
    );
    expect(count(outcomes)).toEqual({ miss: 1, credit_limit_reached: 49 });
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 0, used: 1 });
  });

  it("50 identical requests: 1 miss, 49 hits, 1 credit", async () => {
    const principal = await principalWith();
    const outcomes = await times(50, () => engine.capture({ principal, parameters: { url } }));
    expect(count(outcomes)).toEqual({ miss: 1, hit: 49 });
    expect(renderer.calls).toHaveLength(1);
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 9, used: 1 });
  });

  it("50 identical requests without a credit: every one is refused for itself", async () => {
    const principal = await principalWith({ credits: 0, requestsPerMinute: 20 });
    const outcomes = await times(50, () => engine.capture({ principal, parameters: { url } }));
    expect(count(outcomes)).toEqual({ credit_limit_reached: 20, rate_limited: 30 });
  });

  /** An engine with one slot, which a render of somebody else has until it is released. */
  const withTakenSlot = async (): Promise<{
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

  it("an interactive request that joins a waiting batch item is served before other batch items", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withTakenSlot();
    const items = ["first", "second", "third"].map((name) =>
      single.capture({ principal, parameters: { url: `${url}?${name}` }, priority: "batch" }),
    );
    await microtasks();
    const joined = single.capture({ principal, parameters: { url: `${url}?third` } });
    await microtasks();
    release();
    const answers = await Promise.all([joined, ...items, running]);
    expect(answers.map(({ cache }) => cache)).toEqual(["hit", "miss", "miss", "miss", "miss"]);
    expect(renderer.calls.map((call) => call.url.split("?")[1])).toEqual([
      "running",
      "third",
      "first",
      "second",
    ]);
  });

  it("a request that gives up waiting for its turn does not fail those who joined it", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withTakenSlot();
    const impatient = single.capture({ principal, parameters: { url }, maxWaitMs: 10_000 });
    impatient.catch(() => {});
    await microtasks();
    const joined = single.capture({ principal, parameters: { url } });
    await microtasks();
    clock.advance(10_000);
    await expect(impatient).rejects.toMatchObject({ code: "upstream_rate_limited" });
    await microtasks();
    release();
    expect([(await running).cache, (await joined).cache]).toEqual(["miss", "miss"]);
    expect(await used(principal.account)).toBe(1);
  });

  it("a request that joined another's waits no longer than its own time for that turn", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withTakenSlot();
    const led = single.capture({ principal, parameters: { url } });
    await microtasks();
    const joined = single.capture({ principal, parameters: { url }, maxWaitMs: 10_000 });
    joined.catch(() => {});
    await microtasks();
    clock.advance(10_000);
    await expect(joined).rejects.toMatchObject({ code: "upstream_rate_limited", status: 503 });
    release();
    expect([(await running).cache, (await led).cache]).toEqual(["miss", "miss"]);
    expect(await used(principal.account)).toBe(1);
  });

  it("a request that joined another's waits for its end once that renders", async () => {
    const principal = await principalWith();
    const release = renderer.hold();
    const led = engine.capture({ principal, parameters: { url } });
    await renderer.whenCalled(1);
    const joined = engine.capture({ principal, parameters: { url }, maxWaitMs: 10_000 });
    await microtasks();
    clock.advance(40_000);
    release();
    expect([(await led).cache, (await joined).cache]).toEqual(["miss", "hit"]);
  });

  it("identical requests whose turn does not come all give up in the time of one", async () => {
    const principal = await principalWith();
    const { single, running, release } = await withTakenSlot();
    const captures = Array.from({ length: 6 }, () => single.capture({ principal, parameters: { url } }));
    const ended = Promise.allSettled(captures);
    await microtasks();
    clock.advance(60_000);
    // each gives up in its turn, at this very instant
    for (let step = 0; step < 10; step += 1) {
      await microtasks();
      clock.advance(0);
    }
    for (const { code } of (await ended).map((one) => (one as PromiseRejectedResult).reason as SnapError))
      expect(code).toBe("upstream_rate_limited");
    release();
    await running;
    expect(await used(principal.account)).toBe(0);
  });

  it("close() lets a capture store and settle what it has rendered", async () => {
    const principal = await principalWith();
    const kept = Promise.withResolvers<void>();
    const putting = Promise.withResolvers<void>();
    const events: string[] = [];
    const { renderings, ledger } = storage;
    const slow = open({
      storage: {
        ...storage,
        renderings: {
          ...renderings,
          async put(request) {
            putting.resolve();
            await kept.promise;
            await renderings.put(request);
          },
        },
        ledger: { ...ledger, settle: (request) => (events.push("settled"), ledger.settle(request)) },
        close: async () => void events.push("closed"),
      },
    });
    const captured = slow.capture({ principal, parameters: { url } });
    await putting.promise;
    const closed = slow.close();
    await microtasks();
    kept.resolve();
    expect((await captured).cache).toBe("miss");
    await closed;
    expect(events).toEqual(["settled", "closed"]);
  });

  it("100 requests against a limit of 20: exactly 20 pass", async () => {
    const principal = await principalWith({ credits: 1000, requestsPerMinute: 20 });
    const outcomes = await times(100, (index) =>
      engine.capture({ principal, parameters: { url: `${url}?${index}` } }),
    );
    expect(count(outcomes)).toEqual({ miss: 20, rate_limited: 80 });
    clock.advance(60_000);
    expect((await engine.capture({ principal, parameters: { url: `${url}?new` } })).cache).toBe("miss");
  });

  it("301 answers from the cache in a minute: 300 pass", async () => {
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

  it("answers whatever the state of the account, 60 times a minute", async () => {
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

  it("grants anew in the next period, and carries nothing over", async () => {
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
  it("stop in the instant they expire, are rotated or revoked", async () => {
    const { account } = await principalWith();
    const mortal = await engine.tokens.create({ accountId: account.id, expiresAt: START_MS + 1000 });
    const rotated = await engine.tokens.create({ accountId: account.id, abilities: ["pdf"] });
    clock.advance(999);
    expect((await engine.authenticate(mortal.token)).token.id).toBe(mortal.record.id);
    clock.advance(1);
    await expect(engine.authenticate(mortal.token)).rejects.toMatchObject({
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

  it.each(["", "nonsense", `1|${"a".repeat(43)}`, `999|${"a".repeat(43)}`])("refuses %j", async (token) => {
    await principalWith();
    await expect(engine.authenticate(token)).rejects.toMatchObject({ code: "unauthenticated" });
  });
});

describe("pruning", () => {
  it("deletes what has expired, in batches, without being asked", async () => {
    const principal = await principalWith({ credits: 1000 });
    for (let index = 0; index < 150; index += 1)
      await engine.capture({ principal, parameters: { url: `${url}?${index}`, cacheTtl: 60 } });
    const untilTakenIn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    await untilTakenIn();
    clock.advance(100);
    await untilTakenIn();
    expect(await storage.renderings.prune({ now: clock.now(), limit: 1000 })).toBe(0);
  });

  it("goes on after a failure, and tells of it", async () => {
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
