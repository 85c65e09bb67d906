import type { LeaseState, RenderLeases, AcquireRequest } from "@snap/engine/ports";
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
export function testRenderLeases(runner: SuiteRunner, open: OpenStorage<"renderLeases">): void {
  defineSuite<"renderLeases">({ runner, open, name: "FlightStore" }, (test) => {
    const testFlights: DefineFlightTest = (title, run) =>
      test(title, async ({ renderLeases }) => {
        assert.ok(renderLeases !== undefined, "the storage has no leases");
        await run(renderLeases);
      });
    testTaking(testFlights);
    testHurrying(testFlights);
    testEnding(testFlights);
  });
}

type DefineFlightTest = (title: string, run: (leases: RenderLeases) => Promise<void>) => void;

async function stateFor(
  leases: RenderLeases,
  holder: string,
  change: Partial<AcquireRequest> = {},
): Promise<LeaseState> {
  return leases.acquire({ name: "lease", holder, leaseMs: LONG_MS, priority: "batch", ...change });
}

/** Whether it was taken. */
async function take(
  leases: RenderLeases,
  holder: string,
  change: Partial<AcquireRequest> = {},
): Promise<boolean> {
  return (await stateFor(leases, holder, change)) !== "held";
}

function end(leases: RenderLeases, holder: string, lingerMs: number): Promise<void> {
  return leases.release({ name: "lease", holder, lingerMs });
}

/** Waits until somebody new can take it. */
async function whenFree(leases: RenderLeases, name: string): Promise<void> {
  while (!(await take(leases, "next", { name }))) await pause(LOOK_AGAIN_MS);
}

/** So long after this, by the storage's own clock. */
async function whenPassed(leases: RenderLeases, ms: number): Promise<void> {
  const name = `an hourglass of ${ms} ms`;
  await take(leases, "glass", { name, leaseMs: ms });
  await whenFree(leases, name);
}

function testTaking(test: DefineFlightTest): void {
  test("lets one holder take a lease, and keep it", async (leases) => {
    assert.equal(await take(leases, "a"), true);
    assert.equal(await take(leases, "b"), false);
    assert.equal(await take(leases, "a"), true);
    assert.equal(await take(leases, "b"), false);
  });

  test("of many who try at once, lets one take it", async (leases) => {
    const taken = await allAtOnce((index) => take(leases, `holder ${index}`));
    assert.equal(countOf(taken, true), 1);
  });

  test("frees a lease whose lease has ended", async (leases) => {
    await take(leases, "a", { leaseMs: SHORT_MS });
    await whenFree(leases, "lease");
    assert.equal(await take(leases, "a"), false);
  });

  test("counts a lease from when it was kept last", async (leases) => {
    await take(leases, "a", { leaseMs: SHORT_MS });
    // On a slow machine the first lease may be over by now; "a" then takes it anew.
    assert.equal(await take(leases, "a", { leaseMs: LONG_MS }), true);
    await whenPassed(leases, 2 * SHORT_MS);
    assert.equal(await take(leases, "b"), false);
    // Also to less than was left.
    assert.equal(await take(leases, "a", { leaseMs: SHORT_MS }), true);
    await whenFree(leases, "lease");
  });

  test("keeps names apart, whatever they are", async (leases) => {
    for (const [index, name] of AWKWARD_TEXTS.entries())
      assert.equal(await take(leases, `${index}`, { name }), true, name);
    for (const name of AWKWARD_TEXTS) assert.equal(await take(leases, "another", { name }), false, name);
  });

  test("keeps holders apart, whatever they are", async (leases) => {
    for (const holder of AWKWARD_TEXTS) {
      assert.equal(await take(leases, holder), true, holder);
      for (const other of AWKWARD_TEXTS) assert.equal(await take(leases, other), other === holder);
      await end(leases, holder, 0);
    }
  });
}

function testHurrying(test: DefineFlightTest): void {
  const interactive = { priority: "interactive" } as const;

  test("tells the holder that somebody interactive was refused it, from then on", async (leases) => {
    assert.equal(await stateFor(leases, "a"), "acquired");
    assert.equal(await stateFor(leases, "b"), "held");
    assert.equal(await stateFor(leases, "a"), "acquired");
    assert.equal(await stateFor(leases, "b", interactive), "held");
    assert.equal(await stateFor(leases, "c"), "held");
    for (let time = 0; time < 2; time += 1) assert.equal(await stateFor(leases, "a"), "raised");
  });

  test("hurries nobody else's, nor the next one", async (leases) => {
    assert.equal(await stateFor(leases, "a", interactive), "acquired");
    assert.equal(await stateFor(leases, "a", interactive), "acquired");
    await stateFor(leases, "b", interactive);
    assert.equal(await stateFor(leases, "c", { name: "another" }), "acquired");
    await end(leases, "a", 0);
    assert.equal(await stateFor(leases, "b"), "acquired");
  });

  test("ends a lease that is raised as any other", async (leases) => {
    await stateFor(leases, "a");
    await stateFor(leases, "b", interactive);
    await end(leases, "b", 0);
    assert.equal(await stateFor(leases, "a"), "raised");
    await end(leases, "a", LONG_MS);
    for (const holder of ["a", "b"]) assert.equal(await stateFor(leases, holder, interactive), "held");
  });

  test("keeps a lease as long as it was, however many are in a hurry", async (leases) => {
    await stateFor(leases, "a", { leaseMs: SHORT_MS });
    // On a slow machine the lease may be over by now; "b" then takes it for as long.
    await stateFor(leases, "b", { ...interactive, leaseMs: SHORT_MS });
    await whenFree(leases, "lease");
    assert.equal(await stateFor(leases, "a"), "held");
  });
}

function testEnding(test: DefineFlightTest): void {
  test("frees a lease that its holder ends", async (leases) => {
    await take(leases, "a");
    await end(leases, "a", 0);
    assert.equal(await take(leases, "b"), true);
  });

  test("lets nobody take it while it lingers, its holder neither", async (leases) => {
    await take(leases, "a");
    await end(leases, "a", LONG_MS);
    for (const holder of ["a", "b"]) assert.equal(await take(leases, holder), false);
    // It has been given up: another end changes nothing.
    await end(leases, "a", 0);
    assert.equal(await take(leases, "b"), false);
  });

  test("frees it when the linger is over, however long the lease was", async (leases) => {
    await take(leases, "a", { leaseMs: LONG_MS });
    await end(leases, "a", SHORT_MS);
    await whenFree(leases, "lease");
  });

  test("leaves a lease alone that another has, or nobody", async (leases) => {
    await end(leases, "a", LONG_MS);
    assert.equal(await take(leases, "a"), true);
    await end(leases, "b", 0);
    assert.equal(await take(leases, "b"), false);
  });

  test("leaves a lease alone that was lost and taken by another", async (leases) => {
    await take(leases, "a", { leaseMs: SHORT_MS });
    await whenFree(leases, "lease");
    for (const lingerMs of [0, SHORT_MS]) await end(leases, "a", lingerMs);
    await whenPassed(leases, 2 * SHORT_MS);
    assert.equal(await take(leases, "b"), false);
  });
}
