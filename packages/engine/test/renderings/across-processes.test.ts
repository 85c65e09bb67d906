import { createFakeClock, createFakeRandom, createMemoryFlights, type FakeClock } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { FlightStore } from "../../src/ports/flights.ts";
import { findOrMake, type AcrossProcesses } from "../../src/renderings/across-processes.ts";
import { microtasks } from "../batches/open-engine.ts";

let clock: FakeClock;
let flights: FlightStore;
/** What all processes share. */
let kept: string | null;
let errors: unknown[];

beforeEach(() => {
  clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  flights = createMemoryFlights(clock.now);
  kept = null;
  errors = [];
});

interface Process {
  readonly outcome: Promise<{ readonly value: string; readonly waited: boolean }>;
  /** How often it has begun to make. */
  readonly makes: () => number;
  /** Ends the making that it has begun. */
  readonly finish: (made: string) => void;
  readonly fail: (error: Error) => void;
}

/** A process that wants the same as all others of the test. */
function start(seed: number, parts: Partial<AcrossProcesses> = {}, find = async () => kept): Process {
  const making = Promise.withResolvers<string>();
  let makes = 0;
  const outcome = findOrMake(
    {
      flights,
      clock,
      random: createFakeRandom(seed),
      onBackgroundError: (error) => errors.push(error),
      ...parts,
    },
    {
      name: "a flight",
      find,
      async make() {
        makes += 1;
        kept = await making.promise;
        return kept;
      },
    },
  );
  // Some are judged later than they fail.
  outcome.catch(() => {});
  return { outcome, makes: () => makes, finish: making.resolve, fail: making.reject };
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await microtasks();
    clock.advance(50);
  }
  await microtasks();
}

describe("findOrMake", () => {
  it("finds what is there, without a flight", async () => {
    kept = "there";
    const alone = start(1);
    expect(await alone.outcome).toEqual({ value: "there", waited: false });
    expect(alone.makes()).toBe(0);
    expect(await flights.take({ name: "a flight", holder: "b", leaseMs: 1000 })).toBe(true);
  });

  it("makes it where no other process is", async () => {
    const alone = start(1, { flights: null });
    alone.finish("made");
    expect(await alone.outcome).toEqual({ value: "made", waited: false });
  });

  it("waits for the process that makes it, far longer than its lease", async () => {
    const one = start(1);
    await pass(0);
    const two = start(2);
    const three = start(3);
    await pass(59_000);
    expect([one.makes(), two.makes(), three.makes()]).toEqual([1, 0, 0]);
    one.finish("made");
    await pass(50);
    expect(await one.outcome).toEqual({ value: "made", waited: false });
    expect(await two.outcome).toEqual({ value: "made", waited: true });
    expect(await three.outcome).toEqual({ value: "made", waited: true });
    expect(errors).toEqual([]);
  });

  it("waits for a minute and no longer: one after the other, processes might all fail", async () => {
    const one = start(1);
    await pass(0);
    const two = start(2);
    await pass(60_100);
    expect([one.makes(), two.makes()]).toEqual([1, 1]);
    two.finish("made by two");
    expect(await two.outcome).toEqual({ value: "made by two", waited: true });
    one.fail(new Error("broken"));
    await expect(one.outcome).rejects.toThrow("broken");
  });

  it("makes it itself when the process that tried has failed", async () => {
    const one = start(1);
    await pass(0);
    const two = start(2);
    await pass(500);
    one.fail(new Error("broken"));
    await pass(50);
    await expect(one.outcome).rejects.toThrow("broken");
    expect(two.makes()).toBe(1);
    two.finish("made");
    expect(await two.outcome).toEqual({ value: "made", waited: false });
  });

  it("makes it itself when the process that tried is lost", async () => {
    await flights.take({ name: "a flight", holder: "lost", leaseMs: 6000 });
    const two = start(2);
    await pass(5900);
    expect(two.makes()).toBe(0);
    await pass(150);
    expect(two.makes()).toBe(1);
  });

  it("lets one of those who waited make it", async () => {
    await flights.take({ name: "a flight", holder: "lost", leaseMs: 6000 });
    const others = [start(2), start(3), start(4)];
    await pass(20_000);
    expect(others.reduce((sum, { makes }) => sum + makes(), 0)).toBe(1);
    for (const { finish } of others) finish("made");
    await pass(50);
    const waits = await Promise.all(others.map(({ outcome }) => outcome));
    expect(waits.filter(({ waited }) => waited)).toHaveLength(2);
  });

  it("does not make again what was made just after the look for it", async () => {
    const one = start(1);
    await pass(0);
    const looked = Promise.withResolvers<void>();
    let looks = 0;
    const two = start(2, {}, async () => {
      const found = kept;
      looks += 1;
      if (looks === 1) await looked.promise;
      return found;
    });
    await pass(0);
    one.finish("made");
    await pass(500);
    looked.resolve();
    await pass(100);
    expect(await two.outcome).toEqual({ value: "made", waited: true });
    expect(two.makes()).toBe(0);
  });

  it("stops keeping the flight once it is made", async () => {
    const one = start(1);
    one.finish("made");
    await one.outcome;
    await pass(1000);
    expect(await flights.take({ name: "a flight", holder: "b", leaseMs: 60_000 })).toBe(true);
    await pass(10_000);
    expect(await flights.take({ name: "a flight", holder: "c", leaseMs: 1000 })).toBe(false);
  });

  it("goes on when the flight can't be kept or ended, and tells of it", async () => {
    const fail = async (): Promise<never> => {
      throw new Error("no connection");
    };
    let takes = 0;
    const one = start(1, {
      flights: { take: async () => ((takes += 1) === 1 ? true : fail()), end: fail },
    });
    await pass(2000);
    one.finish("made");
    expect((await one.outcome).value).toBe("made");
    await microtasks();
    expect(errors.map(String)).toEqual(["Error: no connection", "Error: no connection"]);
  });
});
