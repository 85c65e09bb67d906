import type { FlightState, FlightStore, TakeRequest } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { allAtOnce, AWKWARD_TEXTS, countOf, defineSuite } from "./suite.ts";
import type { OpenStorage, SuiteRunner } from "./suite.ts";

/** Of what must not end while the test runs. */
const LONG_MS = 600_000;
/** Of what is waited for. */
const SHORT_MS = 40;
const LOOK_AGAIN_MS = 5;

/**
 * The contract of `FlightStore`: one holder at a time, for as long as its lease. The leases go by the
 * storage's own clock, so their ends are waited for; no test fails because a machine is slow.
 */
export function testFlightStore(runner: SuiteRunner, open: OpenStorage<"flights">): void {
  defineSuite<"flights">({ runner, open, name: "FlightStore" }, (test) => {
    const testFlights: DefineFlightTest = (title, run) =>
      test(title, async ({ flights }) => {
        assert.ok(flights !== undefined, "the storage has no flights");
        await run(flights);
      });
    testTaking(testFlights);
    testHurrying(testFlights);
    testEnding(testFlights);
  });
}

type DefineFlightTest = (title: string, run: (flights: FlightStore) => Promise<void>) => void;

async function stateFor(
  flights: FlightStore,
  holder: string,
  change: Partial<TakeRequest> = {},
): Promise<FlightState> {
  return flights.take({ name: "flight", holder, leaseMs: LONG_MS, urgency: "batch", ...change });
}

/** Whether it was taken. */
async function take(
  flights: FlightStore,
  holder: string,
  change: Partial<TakeRequest> = {},
): Promise<boolean> {
  return (await stateFor(flights, holder, change)) !== "held";
}

function end(flights: FlightStore, holder: string, lingerMs: number): Promise<void> {
  return flights.end({ name: "flight", holder, lingerMs });
}

/** Waits until somebody new can take it. */
async function whenFree(flights: FlightStore, name: string): Promise<void> {
  while (!(await take(flights, "next", { name }))) await pause(LOOK_AGAIN_MS);
}

/** So long after this, by the storage's own clock. */
async function whenPassed(flights: FlightStore, ms: number): Promise<void> {
  const name = `an hourglass of ${ms} ms`;
  await take(flights, "glass", { name, leaseMs: ms });
  await whenFree(flights, name);
}

function testTaking(test: DefineFlightTest): void {
  test("lets one holder take a flight, and keep it", async (flights) => {
    assert.equal(await take(flights, "a"), true);
    assert.equal(await take(flights, "b"), false);
    assert.equal(await take(flights, "a"), true);
    assert.equal(await take(flights, "b"), false);
  });

  test("of many who try at once, lets one take it", async (flights) => {
    const taken = await allAtOnce((index) => take(flights, `holder ${index}`));
    assert.equal(countOf(taken, true), 1);
  });

  test("frees a flight whose lease has ended", async (flights) => {
    await take(flights, "a", { leaseMs: SHORT_MS });
    await whenFree(flights, "flight");
    assert.equal(await take(flights, "a"), false);
  });

  test("counts a lease from when it was kept last", async (flights) => {
    await take(flights, "a", { leaseMs: SHORT_MS });
    // On a slow machine the first lease may be over by now; "a" then takes it anew.
    assert.equal(await take(flights, "a", { leaseMs: LONG_MS }), true);
    await whenPassed(flights, 2 * SHORT_MS);
    assert.equal(await take(flights, "b"), false);
    // Also to less than was left.
    assert.equal(await take(flights, "a", { leaseMs: SHORT_MS }), true);
    await whenFree(flights, "flight");
  });

  test("keeps names apart, whatever they are", async (flights) => {
    for (const [index, name] of AWKWARD_TEXTS.entries())
      assert.equal(await take(flights, `${index}`, { name }), true, name);
    for (const name of AWKWARD_TEXTS) assert.equal(await take(flights, "another", { name }), false, name);
  });

  test("keeps holders apart, whatever they are", async (flights) => {
    for (const holder of AWKWARD_TEXTS) {
      assert.equal(await take(flights, holder), true, holder);
      for (const other of AWKWARD_TEXTS) assert.equal(await take(flights, other), other === holder);
      await end(flights, holder, 0);
    }
  });
}

function testHurrying(test: DefineFlightTest): void {
  const interactive = { urgency: "interactive" } as const;

  test("tells the holder that somebody interactive was refused it, from then on", async (flights) => {
    assert.equal(await stateFor(flights, "a"), "taken");
    assert.equal(await stateFor(flights, "b"), "held");
    assert.equal(await stateFor(flights, "a"), "taken");
    assert.equal(await stateFor(flights, "b", interactive), "held");
    assert.equal(await stateFor(flights, "c"), "held");
    for (let time = 0; time < 2; time += 1) assert.equal(await stateFor(flights, "a"), "hurried");
  });

  test("hurries nobody else's, nor the next one", async (flights) => {
    assert.equal(await stateFor(flights, "a", interactive), "taken");
    assert.equal(await stateFor(flights, "a", interactive), "taken");
    await stateFor(flights, "b", interactive);
    assert.equal(await stateFor(flights, "c", { name: "another" }), "taken");
    await end(flights, "a", 0);
    assert.equal(await stateFor(flights, "b"), "taken");
  });

  test("ends a flight that is hurried as any other", async (flights) => {
    await stateFor(flights, "a");
    await stateFor(flights, "b", interactive);
    await end(flights, "b", 0);
    assert.equal(await stateFor(flights, "a"), "hurried");
    await end(flights, "a", LONG_MS);
    for (const holder of ["a", "b"]) assert.equal(await stateFor(flights, holder, interactive), "held");
  });

  test("keeps a lease as long as it was, however many are in a hurry", async (flights) => {
    await stateFor(flights, "a", { leaseMs: SHORT_MS });
    // On a slow machine the lease may be over by now; "b" then takes it for as long.
    await stateFor(flights, "b", { ...interactive, leaseMs: SHORT_MS });
    await whenFree(flights, "flight");
    assert.equal(await stateFor(flights, "a"), "held");
  });
}

function testEnding(test: DefineFlightTest): void {
  test("frees a flight that its holder ends", async (flights) => {
    await take(flights, "a");
    await end(flights, "a", 0);
    assert.equal(await take(flights, "b"), true);
  });

  test("lets nobody take it while it lingers, its holder neither", async (flights) => {
    await take(flights, "a");
    await end(flights, "a", LONG_MS);
    for (const holder of ["a", "b"]) assert.equal(await take(flights, holder), false);
    // It has been given up: another end changes nothing.
    await end(flights, "a", 0);
    assert.equal(await take(flights, "b"), false);
  });

  test("frees it when the linger is over, however long the lease was", async (flights) => {
    await take(flights, "a", { leaseMs: LONG_MS });
    await end(flights, "a", SHORT_MS);
    await whenFree(flights, "flight");
  });

  test("leaves a flight alone that another has, or nobody", async (flights) => {
    await end(flights, "a", LONG_MS);
    assert.equal(await take(flights, "a"), true);
    await end(flights, "b", 0);
    assert.equal(await take(flights, "b"), false);
  });

  test("leaves a flight alone that was lost and taken by another", async (flights) => {
    await take(flights, "a", { leaseMs: SHORT_MS });
    await whenFree(flights, "flight");
    for (const lingerMs of [0, SHORT_MS]) await end(flights, "a", lingerMs);
    await whenPassed(flights, 2 * SHORT_MS);
    assert.equal(await take(flights, "b"), false);
  });
}
