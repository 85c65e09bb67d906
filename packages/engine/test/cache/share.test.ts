import {
  createFakeClock,
  createFakeRandom,
  createMemoryRenderLeases,
  createMemoryStorage,
  type FakeClock,
} from "@snap/testing";
import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { RunningRenders } from "../../src/cache/running-renders.ts";
import { createRenderingCache, type RenderingCache } from "../../src/cache/rendering-cache.ts";
import { share, type OwnRender, type ShareDependencies, type ShareRequest } from "../../src/cache/share.ts";
import { SnapError } from "../../src/errors.ts";
import { parseParameters } from "../../src/parameters/parse.ts";
import type { RenderLeases } from "../../src/ports/render-leases.ts";
import type { StoredRendering } from "../../src/ports/renderings.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";

const KEY = { accountId: "acct_1", key: "0f1e" };
const NAME = "capped:0f1e:acct_1";
const START = Date.parse("2026-03-01T12:00:00Z");

let clock: FakeClock;
/** Shared by all processes. */
let storage: Storage;
let leases: RenderLeases;
let errors: unknown[];
let processes: number;

beforeEach(() => {
  clock = createFakeClock(START);
  storage = createMemoryStorage();
  leases = createMemoryRenderLeases(clock.now);
  errors = [];
  processes = 0;
});

function rendering(text: string): StoredRendering {
  const bytes = new TextEncoder().encode(text);
  const file = { bytes, contentType: "image/png", targetStatus: 200, notes: [] } as const;
  const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`;
  return { ...file, etag, storedAt: clock.now(), expiresAt: clock.now() + 600 * 1000 };
}

const textOf = ({ bytes }: StoredRendering): string => new TextDecoder().decode(bytes);

/** Returns whether another process could acquire the lease. */
async function isFree(): Promise<boolean> {
  const claim = { name: NAME, holder: "another process" };
  const state = await leases.acquire({ ...claim, leaseMs: 1000, priority: "batch" });
  if (state === "held") return false;
  await leases.release({ ...claim, lingerMs: 0 });
  return true;
}

interface TestRequest {
  /** `waiting`, `leads`, the text of the returned rendering, or the error. */
  readonly state: () => string;
  readonly own: () => Promise<OwnRender>;
  /** Starts its render. */
  readonly start: () => Promise<void>;
  /** Stores and publishes a rendering. */
  readonly finish: (text: string) => Promise<void>;
  readonly fail: (error?: unknown) => Promise<void>;
}

interface Process {
  readonly send: (change?: Partial<ShareRequest>) => TestRequest;
  readonly cache: RenderingCache;
}

function startProcess(overrides: Partial<ShareDependencies> = {}): Process {
  processes += 1;
  const cache = createRenderingCache({ store: storage.renderings, clock, memoryBytes: 1_000_000 });
  const dependencies: ShareDependencies = {
    cache,
    runningRenders: new RunningRenders(),
    renderLeases: leases,
    clock,
    random: createFakeRandom(processes),
    onBackgroundError: (error) => errors.push(error),
    ...overrides,
  };
  return {
    cache,
    send(change = {}) {
      const parameters = parseParameters({ url: "https://example.com/" });
      const outcome = share(dependencies, {
        key: KEY,
        parameters,
        priority: "interactive",
        hasContent: false,
        requestedAt: clock.now(),
        ...change,
      });
      let state = "waiting";
      outcome.then(
        (shared) => (state = shared.isJoined ? textOf(shared.rendering) : "leads"),
        (error: unknown) => (state = String(error)),
      );
      const own = async (): Promise<OwnRender> => {
        const shared = await outcome;
        if (shared.isJoined) throw new Error("the request is not the leader");
        return shared;
      };
      return {
        state: () => state,
        own,
        start: async () => (await own()).start(),
        finish: async (text) => {
          const rendered = rendering(text);
          await (await own()).publish(rendered, cache.store(KEY, rendered));
        },
        fail: async (error = new SnapError("render_failed", "as scripted")) => (await own()).fail(error),
      };
    },
  };
}

async function advance(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await flushMicrotasks();
    clock.advance(50);
  }
  await flushMicrotasks();
}

const statesOf = (all: readonly TestRequest[]): string[] => all.map(({ state }) => state());

describe("identical requests in one process", () => {
  it("wait for the first request and get its rendering", async () => {
    const { send } = startProcess();
    const [first, ...others] = [send(), send(), send()];
    await advance(59_000);
    expect(statesOf([first, ...others])).toEqual(["leads", "waiting", "waiting"]);
    await first.finish("made");
    await advance(0);
    expect(statesOf(others)).toEqual(["made", "made"]);
    expect(errors).toEqual([]);
  });

  it("wait until the rendering is stored", async () => {
    const { send } = startProcess();
    const [first, second] = [send(), send()];
    const stored = Promise.withResolvers<boolean>();
    const published = (await first.own()).publish(rendering("made"), stored.promise);
    await advance(5000);
    expect(second.state()).toBe("waiting");
    stored.resolve(true);
    await published;
    await advance(0);
    expect(second.state()).toBe("made");
  });

  it("hold the lease until the rendering is stored, then long enough for others to find it", async () => {
    const { send } = startProcess();
    const own = await send().own();
    const stored = Promise.withResolvers<boolean>();
    const published = own.publish(rendering("made"), stored.promise);
    await advance(20_000);
    expect(await isFree()).toBe(false);
    stored.resolve(true);
    await published;
    // the settlement fails
    own.fail(new Error("no ledger"));
    await advance(5_000);
    expect(await isFree()).toBe(false);
    await advance(1_000);
    expect(await isFree()).toBe(true);
  });

  it("share the first request's failure", async () => {
    const { send } = startProcess();
    const [first, second] = [send(), send()];
    await first.fail();
    await advance(0);
    expect(second.state()).toBe("SnapError: as scripted");
    expect(await isFree()).toBe(true);
  });

  it.each(["rate_limited", "no_active_plan", "credit_limit_reached", "upstream_rate_limited"] as const)(
    "do not share %s, which concerns only the leader: the next one leads",
    async (code) => {
      const { send } = startProcess();
      const [first, ...others] = [send(), send(), send()];
      await first.fail(new SnapError(code, "as scripted"));
      await advance(0);
      expect(statesOf(others)).toEqual(["leads", "waiting"]);
    },
  );

  it("fail if the rendering cannot be stored", async () => {
    const { send } = startProcess();
    const [first, second] = [send(), send()];
    const own = await first.own();
    await expect(own.publish(rendering("made"), Promise.reject(new Error("disk full")))).rejects.toThrow(
      "disk full",
    );
    own.fail(new Error("disk full"));
    await advance(0);
    expect(second.state()).toBe("Error: disk full");
    expect(await isFree()).toBe(true);
  });

  it("become the leader one after another if each leader is rejected, without reading the store", async () => {
    const { send } = startProcess();
    const all = Array.from({ length: 2000 }, () => send());
    let reads = 0;
    const { get, peek } = storage.renderings;
    storage.renderings.get = (request) => ((reads += 1), get(request));
    storage.renderings.peek = (request) => ((reads += 1), peek(request));
    for (const one of all) await one.fail(new SnapError("credit_limit_reached", "as scripted"));
    expect(reads).toBe(0);
    const next = send();
    await advance(0);
    expect(next.state()).toBe("leads");
  });

  it("get the first request's rendering even if the store drops it", async () => {
    storage.renderings.put = async () => {};
    const { send } = startProcess();
    const [first, ...others] = [send(), send(), send()];
    await first.finish("made");
    await advance(0);
    expect(statesOf(others)).toEqual(["made", "made"]);
  });

  it("raise the priority of a batch item only if an interactive request joins it", async () => {
    const { send } = startProcess();
    let raiseCount = 0;
    const item = send({ priority: "batch" });
    void (await item.own()).priorityRaised.then(() => (raiseCount += 1));
    send({ priority: "batch" });
    await advance(0);
    expect(raiseCount).toBe(0);
    send();
    await advance(0);
    expect(raiseCount).toBe(1);
  });

  it("are rejected if ten thousand are already waiting for one render", async () => {
    const { send } = startProcess();
    const first = send();
    const joined = Array.from({ length: 10_000 }, () => send());
    const rejected = send();
    await advance(0);
    expect(rejected.state()).toMatch(/^SnapError: 10000 identical requests are waiting for this render/);
    await first.finish("made");
    await advance(0);
    expect(new Set(statesOf(joined))).toEqual(new Set(["made"]));
  });

  it("do not share a render if only one has an explicit, and therefore strict, waitUntil", async () => {
    const { send } = startProcess();
    const parameters = parseParameters({ url: "https://example.com/", waitUntil: "networkidle2" });
    const all = [send(), send({ parameters })];
    await advance(0);
    expect(statesOf(all)).toEqual(["leads", "leads"]);
  });

  it.each([{ onWaitTimeout: "fail" }, { waitTimeout: 10_000 }])(
    "do not share a render if only one limits its waits with %o, even with the default value",
    async (limit) => {
      const { send } = startProcess();
      const parameters = parseParameters({
        url: "https://example.com/",
        waitForSelector: "#late",
        ...limit,
      });
      const all = [send({ parameters }), send(), send({ parameters })];
      await advance(0);
      expect(statesOf(all)).toEqual(["leads", "leads", "waiting"]);
    },
  );

  it("get a rendering that is cached after the lookup, before they lead", async () => {
    const { send, cache } = startProcess();
    await cache.store(KEY, rendering("just cached"));
    const late = send();
    await advance(0);
    expect(late.state()).toBe("just cached");
    expect(await isFree()).toBe(true);
  });
});

const BUSY = "SnapError: The service is busy: no render slot became free in time. Retry shortly.";

describe("a request with maxWaitMs", () => {
  const impatient = { maxWaitMs: 10_000 };

  it("waits at most that long for a joined render to start, while others continue to wait", async () => {
    const { send } = startProcess();
    const [leader, joined, patient] = [send(), send(impatient), send()];
    await advance(9_950);
    expect(joined.state()).toBe("waiting");
    await advance(50);
    expect(statesOf([leader, joined, patient])).toEqual(["leads", BUSY, "waiting"]);
    await leader.finish("made");
    await advance(0);
    expect(patient.state()).toBe("made");
  });

  it("counts the wait from the start of the request", async () => {
    const { send } = startProcess();
    send();
    const joined = send({ ...impatient, requestedAt: clock.now() - 9_000 });
    await advance(950);
    expect(joined.state()).toBe("waiting");
    await advance(50);
    expect(joined.state()).toBe(BUSY);
  });

  it("does not wait longer if the clock is set back after the request starts", async () => {
    const { send } = startProcess();
    send();
    const joined = send({ ...impatient, requestedAt: clock.now() + 3_600_000 });
    await advance(10_000);
    expect(joined.state()).toBe(BUSY);
  });

  it("waits for a started render to end, without a time limit", async () => {
    const { send } = startProcess();
    const leader = send();
    const joined = send(impatient);
    await advance(9_000);
    await leader.start();
    const late = send(impatient);
    await advance(45_000);
    expect(statesOf([joined, late])).toEqual(["waiting", "waiting"]);
    await leader.finish("made");
    await advance(0);
    expect(statesOf([joined, late])).toEqual(["made", "made"]);
  });

  it("never leads after it has failed", async () => {
    const { send } = startProcess();
    const [leader, joined, patient] = [send(), send(impatient), send()];
    await advance(10_000);
    await leader.fail(new SnapError("upstream_rate_limited", "as scripted"));
    await advance(0);
    expect(statesOf([joined, patient])).toEqual([BUSY, "leads"]);
  });

  it("fails after its wait if the leader is rejected, because the next render has not started", async () => {
    const { send } = startProcess();
    const [leader, joined, patient] = [send(), send(impatient), send()];
    await leader.start();
    await advance(20_000);
    await leader.fail(new SnapError("upstream_rate_limited", "by the browser"));
    await advance(0);
    expect(statesOf([joined, patient])).toEqual([BUSY, "leads"]);
  });

  it("raises the priority of a batch item that it joins, even if it then gives up", async () => {
    const { send } = startProcess();
    let isRaised = false;
    const item = send({ priority: "batch" });
    void (await item.own()).priorityRaised.then(() => (isRaised = true));
    const joined = send(impatient);
    await advance(10_000);
    expect([isRaised, joined.state()]).toEqual([true, BUSY]);
  });

  it("waits at most that long for another process, then leads", async () => {
    const one = startProcess().send();
    await advance(0);
    const two = startProcess();
    const [leader, joined, patient] = [two.send(impatient), two.send(impatient), two.send()];
    await advance(9_950);
    expect(statesOf([leader, joined, patient])).toEqual(["waiting", "waiting", "waiting"]);
    await advance(100);
    expect(statesOf([one, leader, joined, patient])).toEqual(["leads", "leads", BUSY, "waiting"]);
    // the second process has no free slot, so the patient request waits for the other process again
    await leader.fail(new SnapError("upstream_rate_limited", "as scripted"));
    await advance(20_000);
    expect(patient.state()).toBe("waiting");
    await one.finish("made");
    await advance(50);
    expect(patient.state()).toBe("made");
  });
});

describe("identical requests in several processes", () => {
  it("wait for the process that is rendering, even for much longer than the lease's duration", async () => {
    const one = startProcess().send();
    await advance(0);
    const two = startProcess();
    const waiting = [two.send(), two.send(), startProcess().send()];
    await advance(59_000);
    expect([one.state(), ...statesOf(waiting)]).toEqual(["leads", "waiting", "waiting", "waiting"]);
    await one.finish("made");
    await advance(50);
    expect(statesOf(waiting)).toEqual(["made", "made", "made"]);
    expect(errors).toEqual([]);
  });

  it("wait at most a minute, because several processes can fail one after another", async () => {
    const one = startProcess().send();
    await advance(0);
    const two = startProcess().send();
    await advance(60_100);
    expect(statesOf([one, two])).toEqual(["leads", "leads"]);
    // the second process has no lease to release
    await two.finish("made by two");
    expect(await isFree()).toBe(false);
    await one.fail();
    expect(await isFree()).toBe(true);
  });

  it("elect one leader when another process's render fails", async () => {
    const one = startProcess().send();
    await advance(0);
    const others = [startProcess().send(), startProcess().send()];
    await advance(500);
    await one.fail();
    await advance(100);
    expect(statesOf(others).toSorted()).toEqual(["leads", "waiting"]);
  });

  it("lead when the process that is rendering dies", async () => {
    await leases.acquire({ name: NAME, holder: "lost", leaseMs: 6000, priority: "batch" });
    const two = startProcess().send();
    await advance(5900);
    expect(two.state()).toBe("waiting");
    await advance(150);
    expect(two.state()).toBe("leads");
  });

  it("do not repeat a render whose rendering was cached just after the lookup", async () => {
    const one = startProcess().send();
    await advance(0);
    await one.finish("made");
    // as if its lookup had preceded the caching: the lease still lingers
    const two = startProcess().send();
    await advance(50);
    expect(two.state()).toBe("made");
  });

  it("render at once if the rendering of the other process does not fit in the cache", async () => {
    storage = createMemoryStorage({ cacheMaxBytes: 0 });
    const one = startProcess().send();
    await advance(0);
    await one.finish("made");
    const two = startProcess().send();
    await advance(50);
    expect(two.state()).toBe("leads");
  });

  it("raise the priority of a batch item that another process is rendering, within a second", async () => {
    let isRaised = false;
    const item = startProcess().send({ priority: "batch" });
    void (await item.own()).priorityRaised.then(() => (isRaised = true));
    startProcess().send();
    await advance(1000);
    expect(isRaised).toBe(true);
  });

  it("raise the priority even if they join a batch item that is waiting for the other process", async () => {
    let isRaised = false;
    const item = startProcess().send({ priority: "batch" });
    void (await item.own()).priorityRaised.then(() => (isRaised = true));
    const two = startProcess();
    two.send({ priority: "batch" });
    await advance(2000);
    expect(isRaised).toBe(false);
    two.send();
    await advance(2000);
    expect(isRaised).toBe(true);
  });

  it("stop renewing the lease when the rendering is published", async () => {
    const one = startProcess().send();
    await one.finish("made");
    await advance(6000);
    const claim = { name: NAME, holder: "b", leaseMs: 60_000, priority: "batch" } as const;
    expect(await leases.acquire(claim)).toBe("acquired");
    await advance(10_000);
    expect(await leases.acquire({ ...claim, holder: "c" })).toBe("held");
  });

  it("continue, and report the error, if the lease cannot be renewed or released", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("no connection");
    };
    let acquisitions = 0;
    const acquire: RenderLeases["acquire"] = (request) =>
      (acquisitions += 1) === 1 ? leases.acquire(request) : fail();
    const one = startProcess({ renderLeases: { acquire, release: fail } }).send();
    await advance(1000);
    await one.fail();
    await flushMicrotasks();
    expect(errors.map(String)).toEqual(["Error: no connection", "Error: no connection"]);
  });

  it("fail if the lease cannot be acquired; the next request tries again", async () => {
    let isUnavailable = true;
    const acquire: RenderLeases["acquire"] = async (request) => {
      if (isUnavailable) throw new Error("no connection");
      return leases.acquire(request);
    };
    const { send } = startProcess({ renderLeases: { ...leases, acquire } });
    const first = send();
    await advance(0);
    expect(first.state()).toBe("Error: no connection");
    isUnavailable = false;
    const second = send();
    await advance(0);
    expect(second.state()).toBe("leads");
  });
});
