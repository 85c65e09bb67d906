import {
  createFakeClock,
  createFakeRandom,
  createMemoryRenderLeases,
  createMemoryStorage,
  type FakeClock,
} from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { RunningRenders } from "../../src/cache/running-renders.ts";
import {
  createRenderingCache,
  toStoredRendering,
  type RenderingCache,
} from "../../src/cache/rendering-cache.ts";
import { share, type LedRender, type ShareParts, type ShareRequest } from "../../src/cache/share.ts";
import { SnapError } from "../../src/errors.ts";
import { parseParameters } from "../../src/parameters/parse.ts";
import type { RenderLeases } from "../../src/ports/render-leases.ts";
import type { StoredRendering } from "../../src/ports/renderings.ts";
import type { Storage } from "../../src/ports/storage.ts";
import { microtasks } from "../batches/open-engine.ts";

const KEY = { accountId: "acct_1", key: "0f1e" };
const NAME = "capped:0f1e:acct_1";
const START = Date.parse("2026-03-01T12:00:00Z");

let clock: FakeClock;
/** What all processes share. */
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
  return toStoredRendering(file, { now: clock.now(), ttlSeconds: 600 });
}

const textOf = ({ bytes }: StoredRendering): string => new TextDecoder().decode(bytes);

/** Whether another process could take the lease. */
async function isFree(): Promise<boolean> {
  const claim = { name: NAME, holder: "an onlooker" };
  const state = await leases.acquire({ ...claim, leaseMs: 1000, priority: "batch" });
  if (state === "held") return false;
  await leases.release({ ...claim, lingerMs: 0 });
  return true;
}

interface Asked {
  /** `waiting`; `leads`; or the text of the rendering, or the failure, that it was answered with. */
  readonly state: () => string;
  readonly led: () => Promise<LedRender>;
  /** Its turn has come. */
  readonly begin: () => Promise<void>;
  /** Keeps what it has made, and lands. */
  readonly finish: (text: string) => Promise<void>;
  readonly fail: (error?: unknown) => Promise<void>;
}

interface Process {
  readonly ask: (change?: Partial<ShareRequest>) => Asked;
  readonly cache: RenderingCache;
}

function startProcess(change: Partial<ShareParts> = {}): Process {
  processes += 1;
  const cache = createRenderingCache({ store: storage.renderings, clock, memoryBytes: 1_000_000 });
  const parts: ShareParts = {
    cache,
    runningRenders: new RunningRenders(),
    renderLeases: leases,
    clock,
    random: createFakeRandom(processes),
    onBackgroundError: (error) => errors.push(error),
    ...change,
  };
  return {
    cache,
    ask(wanted = {}) {
      const parameters = parseParameters({ url: "https://example.com/" });
      const outcome = share(parts, {
        key: KEY,
        parameters,
        priority: "interactive",
        requestedAt: clock.now(),
        ...wanted,
      });
      let state = "waiting";
      outcome.then(
        (shared) => (state = shared.isLed ? "leads" : textOf(shared.rendering)),
        (error: unknown) => (state = String(error)),
      );
      const led = async (): Promise<LedRender> => {
        const shared = await outcome;
        if (!shared.isLed) throw new Error("it does not lead");
        return shared;
      };
      return {
        state: () => state,
        led,
        begin: async () => (await led()).start(),
        finish: async (text) => {
          const made = rendering(text);
          await (await led()).publish(made, cache.store(KEY, made));
        },
        fail: async (error = new SnapError("render_failed", "as scripted")) => (await led()).fail(error),
      };
    },
  };
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await microtasks();
    clock.advance(50);
  }
  await microtasks();
}

const statesOf = (all: readonly Asked[]): string[] => all.map(({ state }) => state());

describe("identical requests in one process", () => {
  it("wait for the first of them, and get what it made", async () => {
    const { ask } = startProcess();
    const [first, ...others] = [ask(), ask(), ask()];
    await pass(59_000);
    expect(statesOf([first, ...others])).toEqual(["leads", "waiting", "waiting"]);
    await first.finish("made");
    await pass(0);
    expect(statesOf(others)).toEqual(["made", "made"]);
    expect(errors).toEqual([]);
  });

  it("wait until it is kept, and not only made", async () => {
    const { ask } = startProcess();
    const [first, second] = [ask(), ask()];
    const kept = Promise.withResolvers<void>();
    const landed = (await first.led()).publish(rendering("made"), kept.promise);
    await pass(5000);
    expect(second.state()).toBe("waiting");
    kept.resolve();
    await landed;
    await pass(0);
    expect(second.state()).toBe("made");
  });

  it("share its failure", async () => {
    const { ask } = startProcess();
    const [first, second] = [ask(), ask()];
    await first.fail();
    await pass(0);
    expect(second.state()).toBe("SnapError: as scripted");
    expect(await isFree()).toBe(true);
  });

  it.each(["rate_limited", "no_active_plan", "credit_limit_reached", "upstream_rate_limited"] as const)(
    "do not share %s, which concerns the first alone: the next one leads",
    async (code) => {
      const { ask } = startProcess();
      const [first, ...others] = [ask(), ask(), ask()];
      await first.fail(new SnapError(code, "as scripted"));
      await pass(0);
      expect(statesOf(others)).toEqual(["leads", "waiting"]);
    },
  );

  it("are told of a rendering that can't be kept", async () => {
    const { ask } = startProcess();
    const [first, second] = [ask(), ask()];
    const led = await first.led();
    await expect(led.publish(rendering("made"), Promise.reject(new Error("disk full")))).rejects.toThrow(
      "disk full",
    );
    led.fail(new Error("disk full"));
    await pass(0);
    expect(second.state()).toBe("Error: disk full");
  });

  it("lead one after the other where each is refused for itself, and the others wait on", async () => {
    const { ask } = startProcess();
    const all = Array.from({ length: 2000 }, () => ask());
    let looks = 0;
    const { get, peek } = storage.renderings;
    storage.renderings.get = (request) => ((looks += 1), get(request));
    storage.renderings.peek = (request) => ((looks += 1), peek(request));
    for (const one of all) await one.fail(new SnapError("credit_limit_reached", "as scripted"));
    expect(looks).toBe(0);
    const next = ask();
    await pass(0);
    expect(next.state()).toBe("leads");
  });

  it("get what the first of them made, also where nothing can be kept", async () => {
    storage.renderings.put = async () => {};
    const { ask } = startProcess();
    const [first, ...others] = [ask(), ask(), ask()];
    await first.finish("made");
    await pass(0);
    expect(statesOf(others)).toEqual(["made", "made"]);
  });

  it("hurry a batch item that they wait for, and nobody else does", async () => {
    const { ask } = startProcess();
    let raised = 0;
    const item = ask({ priority: "batch" });
    void (await item.led()).priorityRaised?.then(() => (raised += 1));
    ask({ priority: "batch" });
    await pass(0);
    expect(raised).toBe(0);
    ask();
    await pass(0);
    expect(raised).toBe(1);
  });

  it("are refused when ten thousand wait for one render already", async () => {
    const { ask } = startProcess();
    const first = ask();
    const joined = Array.from({ length: 10_000 }, () => ask());
    const refused = ask();
    await pass(0);
    expect(refused.state()).toMatch(/^SnapError: 10000 identical requests are waiting for this render/);
    await first.finish("made");
    await pass(0);
    expect(new Set(statesOf(joined))).toEqual(new Set(["made"]));
  });

  it("lead each for itself what must not be cached", async () => {
    const { ask } = startProcess();
    const parameters = parseParameters({ url: "https://example.com/", cache: false });
    const all = [ask({ parameters }), ask({ parameters })];
    await pass(0);
    expect(statesOf(all)).toEqual(["leads", "leads"]);
  });

  it("are apart where one has sent its waitUntil, which is strict then", async () => {
    const { ask } = startProcess();
    const parameters = parseParameters({ url: "https://example.com/", waitUntil: "networkidle2" });
    const all = [ask(), ask({ parameters })];
    await pass(0);
    expect(statesOf(all)).toEqual(["leads", "leads"]);
  });

  it("take what landed between their look and their turn", async () => {
    const { ask, cache } = startProcess();
    await cache.store(KEY, rendering("just made"));
    const late = ask();
    await pass(0);
    expect(late.state()).toBe("just made");
    expect(await isFree()).toBe(true);
  });
});

const BUSY =
  "SnapError: The service is busy: no render slot became free in time. Repeat the request shortly.";

describe("a request with its own longest wait", () => {
  const impatient = { maxWaitMs: 10_000 };

  it("waits no longer than that for another's render to start; the others wait on", async () => {
    const { ask } = startProcess();
    const [leader, joined, patient] = [ask(), ask(impatient), ask()];
    await pass(9_950);
    expect(joined.state()).toBe("waiting");
    await pass(50);
    expect(statesOf([leader, joined, patient])).toEqual(["leads", BUSY, "waiting"]);
    await leader.finish("made");
    await pass(0);
    expect(patient.state()).toBe("made");
  });

  it("counts from when it was asked", async () => {
    const { ask } = startProcess();
    ask();
    const joined = ask({ ...impatient, requestedAt: clock.now() - 9_000 });
    await pass(950);
    expect(joined.state()).toBe("waiting");
    await pass(50);
    expect(joined.state()).toBe(BUSY);
  });

  it("waits for the end of a render that has started, however long that takes", async () => {
    const { ask } = startProcess();
    const leader = ask();
    const joined = ask(impatient);
    await pass(9_000);
    await leader.begin();
    const late = ask(impatient);
    await pass(45_000);
    expect(statesOf([joined, late])).toEqual(["waiting", "waiting"]);
    await leader.finish("made");
    await pass(0);
    expect(statesOf([joined, late])).toEqual(["made", "made"]);
  });

  it("never gets the lead after it has failed", async () => {
    const { ask } = startProcess();
    const [leader, joined, patient] = [ask(), ask(impatient), ask()];
    await pass(10_000);
    await leader.fail(new SnapError("upstream_rate_limited", "as scripted"));
    await pass(0);
    expect(statesOf([joined, patient])).toEqual([BUSY, "leads"]);
  });

  it("fails when the render it waited for is refused after its wait: the next one has yet to start", async () => {
    const { ask } = startProcess();
    const [leader, joined, patient] = [ask(), ask(impatient), ask()];
    await leader.begin();
    await pass(20_000);
    await leader.fail(new SnapError("upstream_rate_limited", "by the browser"));
    await pass(0);
    expect(statesOf([joined, patient])).toEqual([BUSY, "leads"]);
  });

  it("hurries a batch item that it joins, also one that it gives up on", async () => {
    const { ask } = startProcess();
    let isRaised = false;
    const item = ask({ priority: "batch" });
    void (await item.led()).priorityRaised?.then(() => (isRaised = true));
    const joined = ask(impatient);
    await pass(10_000);
    expect([isRaised, joined.state()]).toEqual([true, BUSY]);
  });

  it("waits no longer than that for another process, and then leads", async () => {
    const one = startProcess().ask();
    await pass(0);
    const two = startProcess();
    const [leader, joined, patient] = [two.ask(impatient), two.ask(impatient), two.ask()];
    await pass(9_950);
    expect(statesOf([leader, joined, patient])).toEqual(["waiting", "waiting", "waiting"]);
    await pass(100);
    expect(statesOf([one, leader, joined, patient])).toEqual(["leads", "leads", BUSY, "waiting"]);
    // it found no free slot: the patient one waits for the other process again
    await leader.fail(new SnapError("upstream_rate_limited", "as scripted"));
    await pass(20_000);
    expect(patient.state()).toBe("waiting");
    await one.finish("made");
    await pass(50);
    expect(patient.state()).toBe("made");
  });
});

describe("identical requests in several processes", () => {
  it("wait for the process that makes it, far longer than its lease", async () => {
    const one = startProcess().ask();
    await pass(0);
    const two = startProcess();
    const waiting = [two.ask(), two.ask(), startProcess().ask()];
    await pass(59_000);
    expect([one.state(), ...statesOf(waiting)]).toEqual(["leads", "waiting", "waiting", "waiting"]);
    await one.finish("made");
    await pass(50);
    expect(statesOf(waiting)).toEqual(["made", "made", "made"]);
    expect(errors).toEqual([]);
  });

  it("wait for a minute and no longer: one after the other, processes might all fail", async () => {
    const one = startProcess().ask();
    await pass(0);
    const two = startProcess().ask();
    await pass(60_100);
    expect(statesOf([one, two])).toEqual(["leads", "leads"]);
    // It has no lease to end.
    await two.finish("made by two");
    expect(await isFree()).toBe(false);
    await one.fail();
    expect(await isFree()).toBe(true);
  });

  it("lead when the process that tried has failed, one of them", async () => {
    const one = startProcess().ask();
    await pass(0);
    const others = [startProcess().ask(), startProcess().ask()];
    await pass(500);
    await one.fail();
    await pass(100);
    expect(statesOf(others).toSorted()).toEqual(["leads", "waiting"]);
  });

  it("lead when the process that tried is lost", async () => {
    await leases.acquire({ name: NAME, holder: "lost", leaseMs: 6000, priority: "batch" });
    const two = startProcess().ask();
    await pass(5900);
    expect(two.state()).toBe("waiting");
    await pass(150);
    expect(two.state()).toBe("leads");
  });

  it("do not make again what was kept just after the look for it", async () => {
    const one = startProcess().ask();
    await pass(0);
    await one.finish("made");
    // it has looked before, and comes now: the lease lingers
    const two = startProcess().ask();
    await pass(50);
    expect(two.state()).toBe("made");
  });

  it("hurry a batch item of another process within a second", async () => {
    let isRaised = false;
    const item = startProcess().ask({ priority: "batch" });
    void (await item.led()).priorityRaised?.then(() => (isRaised = true));
    startProcess().ask();
    await pass(1000);
    expect(isRaised).toBe(true);
  });

  it("hurry it, too, by a request that joins a batch item which waits for that process", async () => {
    let isRaised = false;
    const item = startProcess().ask({ priority: "batch" });
    void (await item.led()).priorityRaised?.then(() => (isRaised = true));
    const two = startProcess();
    two.ask({ priority: "batch" });
    await pass(2000);
    expect(isRaised).toBe(false);
    two.ask();
    await pass(2000);
    expect(isRaised).toBe(true);
  });

  it("stop keeping the lease once it has landed", async () => {
    const one = startProcess().ask();
    await one.finish("made");
    await pass(6000);
    const lost = { name: NAME, holder: "b", leaseMs: 60_000, priority: "batch" } as const;
    expect(await leases.acquire(lost)).toBe("acquired");
    await pass(10_000);
    expect(await leases.acquire({ ...lost, holder: "c" })).toBe("held");
  });

  it("go on when the lease can't be kept or ended, and tell of it", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("no connection");
    };
    let takes = 0;
    const acquire: RenderLeases["acquire"] = (request) =>
      (takes += 1) === 1 ? leases.acquire(request) : fail();
    const one = startProcess({ renderLeases: { acquire, release: fail } }).ask();
    await pass(1000);
    await one.fail();
    await microtasks();
    expect(errors.map(String)).toEqual(["Error: no connection", "Error: no connection"]);
  });

  it("fail where nobody can tell who has the lease, and let the next one try", async () => {
    let isLost = true;
    const acquire: RenderLeases["acquire"] = async (request) => {
      if (isLost) throw new Error("no connection");
      return leases.acquire(request);
    };
    const { ask } = startProcess({ renderLeases: { ...leases, acquire } });
    const first = ask();
    await pass(0);
    expect(first.state()).toBe("Error: no connection");
    isLost = false;
    const second = ask();
    await pass(0);
    expect(second.state()).toBe("leads");
  });
});
