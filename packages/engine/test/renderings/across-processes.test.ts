import {
  createFakeClock,
  createFakeRandom,
  createMemoryFlights,
  createMemoryStorage,
  type FakeClock,
} from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { SpendOutcome, SpendRequest } from "../../src/ports/budgets.ts";
import type { FlightStore } from "../../src/ports/flights.ts";
import type { StoredRendering } from "../../src/ports/renderings.ts";
import type { Storage } from "../../src/ports/storage.ts";
import {
  findOrBoard,
  type AcrossProcesses,
  type BoardingPass,
  type FoundOrBoarded,
} from "../../src/renderings/across-processes.ts";
import { microtasks } from "../batches/open-engine.ts";

const KEY = { accountId: "acct_1", key: "0f1e" };
const NAME = "a flight";
const START = Date.parse("2026-03-01T12:00:00Z");

let clock: FakeClock;
/** What all processes share. */
let storage: Storage;
let flights: FlightStore;
let errors: unknown[];

beforeEach(() => {
  clock = createFakeClock(START);
  storage = createMemoryStorage();
  flights = createMemoryFlights(storage, clock.now);
  errors = [];
});

function rendering(etag: string): StoredRendering {
  const life = { storedAt: clock.now(), expiresAt: clock.now() + 600_000 };
  return { bytes: Uint8Array.of(1), contentType: "image/png", targetStatus: 200, notes: [], etag, ...life };
}

const keep = (etag: string): Promise<void> => storage.renderings.put({ ...KEY, rendering: rendering(etag) });
const spend = (): SpendRequest => ({
  accountId: "acct_1",
  budget: "render",
  limit: 5,
  windowMs: 600_000,
  now: clock.now(),
});
const find = (): Promise<StoredRendering | null> => storage.renderings.get({ ...KEY, now: clock.now() });
/** What is left of the budget, less the one that is spent to learn it. */
const left = async (): Promise<number> => (await storage.budgets.spend(spend())).remaining;
const isFree = (holder: string): Promise<boolean> => flights.take({ name: NAME, holder, leaseMs: 1000 });

interface Process {
  readonly outcome: Promise<FoundOrBoarded>;
  /** What has become of it: the entity tag of what was found, or whether it boarded. */
  readonly state: () => string;
  /** Keeps what it has made, and lands. */
  readonly finish: (etag: string) => Promise<void>;
  readonly fail: () => Promise<void>;
}

/** A process that wants the same as all others of the test. */
function start(
  seed: number,
  parts: Partial<AcrossProcesses> = {},
  ownFind = find,
  isLikely = false,
): Process {
  const outcome = findOrBoard(
    {
      flights,
      budgets: storage.budgets,
      renderings: storage.renderings,
      clock,
      random: createFakeRandom(seed),
      onBackgroundError: (error) => errors.push(error),
      ...parts,
    },
    { name: NAME, key: KEY, find: ownFind, isLikely, spend },
  );
  let state = "waiting";
  const watch = async (): Promise<void> => {
    const { found } = await outcome;
    state = found?.etag ?? "boarded";
  };
  // Some are judged later than they fail.
  watch().catch(() => {});
  const leave = async (): Promise<BoardingPass> => {
    const board = await outcome;
    if (board.found !== null) throw new Error("it has found one");
    return board.pass;
  };
  return {
    outcome,
    state: () => state,
    async finish(etag) {
      await (await leave()).put({ ...KEY, rendering: rendering(etag) });
    },
    async fail() {
      (await leave()).abandon();
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

describe("findOrBoard", () => {
  it("finds what is there, and takes and spends nothing", async () => {
    await keep("there");
    expect(await start(1).outcome).toMatchObject({ found: { etag: "there" }, waited: false });
    expect(await isFree("b")).toBe(true);
    expect(await left()).toBe(4);
  });

  it("looks alone first for what is likely to be there, and boards where it isn't", async () => {
    let boardings = 0;
    const board: FlightStore["board"] = (request) => {
      boardings += 1;
      return flights.board(request);
    };
    const watched = { flights: { ...flights, board } };
    expect(await start(1, watched, find, true).outcome).toMatchObject({ found: null });
    expect(boardings).toBe(1);
    await keep("there");
    expect(await start(2, watched, find, true).outcome).toMatchObject({ found: { etag: "there" } });
    expect(boardings).toBe(1);
  });

  it("lets it be made where no process shares the storage", async () => {
    const alone = { flights: null };
    const spent: SpendOutcome = { allowed: true, remaining: 4, resetsAt: START + 600_000 };
    expect(await start(1, alone).outcome).toMatchObject({ found: null, pass: { spent, request: spend() } });
    await keep("there");
    expect(await start(1, alone).outcome).toMatchObject({ found: { etag: "there" }, waited: false });
    expect(await left()).toBe(3);
  });

  it("waits for the process that makes it, far longer than its lease", async () => {
    const one = start(1);
    await pass(0);
    const two = start(2);
    const three = start(3);
    await pass(59_000);
    expect([one.state(), two.state(), three.state()]).toEqual(["boarded", "waiting", "waiting"]);
    await one.finish("made");
    await pass(50);
    for (const { outcome } of [two, three])
      expect(await outcome).toMatchObject({ found: { etag: "made" }, waited: true });
    expect(errors).toEqual([]);
    // The first one spent, the others didn't.
    expect(await left()).toBe(3);
  });

  it("waits for a minute and no longer: one after the other, processes might all fail", async () => {
    const one = start(1);
    await pass(0);
    const two = start(2);
    await pass(60_100);
    expect([one.state(), two.state()]).toEqual(["boarded", "boarded"]);
    // It has no flight to end.
    await two.finish("made by two");
    expect(await isFree("c")).toBe(false);
    await one.fail();
    expect(await isFree("c")).toBe(true);
  });

  it("lets it be made anew when the process that tried has failed", async () => {
    const one = start(1);
    await pass(0);
    const two = start(2);
    await pass(500);
    await one.fail();
    await pass(50);
    expect(two.state()).toBe("boarded");
  });

  it("lets it be made anew when the process that tried is lost", async () => {
    await flights.take({ name: NAME, holder: "lost", leaseMs: 6000 });
    const two = start(2);
    await pass(5900);
    expect(two.state()).toBe("waiting");
    await pass(150);
    expect(two.state()).toBe("boarded");
  });

  it("lets one of those who waited make it", async () => {
    await flights.take({ name: NAME, holder: "lost", leaseMs: 6000 });
    const others = [start(2), start(3), start(4)];
    await pass(20_000);
    expect(others.map(({ state }) => state()).toSorted()).toEqual(["boarded", "waiting", "waiting"]);
    await others.find(({ state }) => state() === "boarded")?.finish("made");
    await pass(50);
    expect(others.map(({ state }) => state()).toSorted()).toEqual(["boarded", "made", "made"]);
  });

  it("does not make again what was made just after the look for it", async () => {
    const one = start(1);
    await pass(0);
    const looked = Promise.withResolvers<void>();
    let looks = 0;
    const two = start(2, {}, async () => {
      const found = await find();
      looks += 1;
      if (looks === 1) await looked.promise;
      return found;
    });
    await pass(0);
    await one.finish("made");
    await pass(500);
    looked.resolve();
    await pass(100);
    expect(await two.outcome).toMatchObject({ found: { etag: "made" }, waited: true });
  });

  it("lets it be made anew where what is kept is none that is wanted", async () => {
    await keep("of another kind");
    const one = start(1, {}, async () => null);
    await pass(0);
    expect(one.state()).toBe("boarded");
    expect(await isFree("b")).toBe(false);
    expect(await left()).toBe(3);
  });

  it("answers what was found where the flights didn't see it, and ends the flight", async () => {
    const elsewhere = start(1, {}, async () => rendering("elsewhere"));
    expect(await elsewhere.outcome).toMatchObject({ found: { etag: "elsewhere" }, waited: false });
    await microtasks();
    expect(await isFree("b")).toBe(true);
    expect(await left()).toBe(4);
  });

  it("tells that the budget has nothing left, and holds nobody up", async () => {
    for (let spent = 0; spent < 5; spent += 1) await storage.budgets.spend(spend());
    const spent: SpendOutcome = { allowed: false, remaining: 0, resetsAt: START + 600_000 };
    expect(await start(1).outcome).toMatchObject({ found: null, pass: { spent } });
    expect(await isFree("b")).toBe(true);
  });

  it("stops keeping the flight once it is made", async () => {
    const one = start(1);
    await one.finish("made");
    await pass(1000);
    expect(await flights.take({ name: NAME, holder: "b", leaseMs: 60_000 })).toBe(true);
    await pass(10_000);
    expect(await isFree("c")).toBe(false);
  });

  it("keeps the flight until the rendering is kept, however long that takes", async () => {
    const kept = Promise.withResolvers<void>();
    const slow: FlightStore["land"] = async (request) => {
      await kept.promise;
      await flights.land(request);
    };
    const one = start(1, { flights: { ...flights, land: slow } });
    await pass(0);
    const finished = one.finish("made");
    const two = start(2);
    await pass(20_000);
    expect(two.state()).toBe("waiting");
    kept.resolve();
    await finished;
    await pass(50);
    expect(two.state()).toBe("made");
  });

  it("frees the flight at once where the rendering can't be kept", async () => {
    const one = start(1, { flights: { ...flights, land: () => Promise.reject(new Error("full")) } });
    await expect(one.finish("made")).rejects.toThrow("full");
    await one.fail();
    expect(await isFree("b")).toBe(true);
  });

  it("gives flight and budget back where the look for the rendering fails", async () => {
    const one = start(1, {}, () => Promise.reject(new Error("no connection")));
    await expect(one.outcome).rejects.toThrow("no connection");
    expect(await isFree("b")).toBe(true);
    expect(await left()).toBe(4);
  });

  it("gives back what was spent, to its own window alone", async () => {
    const { found, ...board } = await start(1).outcome;
    expect(found).toBeNull();
    if (!("pass" in board)) throw new Error("it has found one");
    await board.pass.giveBack();
    expect(await left()).toBe(4);
    clock.advance(600_000);
    expect(await left()).toBe(4);
    await board.pass.giveBack();
    expect(await left()).toBe(3);
  });

  it("ends in an error, not in a circle, where flights tell of what they were not asked for", async () => {
    const confused = { ...flights, board: async () => ({ state: "kept" }) as const };
    await expect(start(1, { flights: confused }).outcome).rejects.toThrow("not asked for");
  });

  it("leaves a flight that has landed alone", async () => {
    const one = start(1);
    await one.finish("made");
    await one.fail();
    expect(await isFree("b")).toBe(false);
  });

  it("goes on when the flight can't be kept or ended, and tells of it", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("no connection");
    };
    const one = start(1, { flights: { ...flights, take: fail, end: fail } });
    await pass(2000);
    await one.fail();
    await microtasks();
    expect(errors.map(String)).toEqual(["Error: no connection", "Error: no connection"]);
  });
});
