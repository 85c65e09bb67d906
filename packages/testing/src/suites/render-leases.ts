import type { LeaseState, RenderLeases, AcquireRequest } from "@snap/engine/ports";
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { concurrently, UNUSUAL_STRINGS, countOf, defineSuite } from "./suite.ts";
import type { OpenStorage, SuiteRunner } from "./suite.ts";

/** Leases that must not expire during a test. */
const LONG_MS = 600_000;
/** Leases whose expiry a test waits for. */
const SHORT_MS = 40;
const RETRY_INTERVAL_MS = 5;

/**
 * Tests `RenderLeases`: one holder at a time, until its lease expires. Leases use the storage's clock, so the tests
 * wait for them to expire; no test fails on a slow machine.
 */
export function testRenderLeases(runner: SuiteRunner, open: OpenStorage<"renderLeases">): void {
  defineSuite<"renderLeases">({ runner, open, name: "RenderLeases" }, (test) => {
    const testLeases: DefineLeaseTest = (title, run) =>
      test(title, async ({ renderLeases }) => {
        assert.ok(renderLeases !== undefined, "the storage has no leases");
        await run(renderLeases);
      });
    testAcquiring(testLeases);
    testPriorities(testLeases);
    testReleasing(testLeases);
  });
}

type DefineLeaseTest = (title: string, run: (leases: RenderLeases) => Promise<void>) => void;

async function acquire(
  leases: RenderLeases,
  holder: string,
  change: Partial<AcquireRequest> = {},
): Promise<LeaseState> {
  return leases.acquire({ name: "lease", holder, leaseMs: LONG_MS, priority: "batch", ...change });
}

/** Tries to acquire the lease, and returns whether it succeeded. */
async function tryAcquire(
  leases: RenderLeases,
  holder: string,
  change: Partial<AcquireRequest> = {},
): Promise<boolean> {
  return (await acquire(leases, holder, change)) !== "held";
}

function release(leases: RenderLeases, holder: string, lingerMs: number): Promise<void> {
  return leases.release({ name: "lease", holder, lingerMs });
}

/** Waits until the lease is free, and acquires it for another holder. */
async function acquireWhenFree(leases: RenderLeases, name: string): Promise<void> {
  while (!(await tryAcquire(leases, "next", { name }))) await pause(RETRY_INTERVAL_MS);
}

/** Waits for `ms` by the storage's clock. */
async function waitFor(leases: RenderLeases, ms: number): Promise<void> {
  const name = `a timer of ${ms} ms`;
  await tryAcquire(leases, "timer", { name, leaseMs: ms });
  await acquireWhenFree(leases, name);
}

function testAcquiring(test: DefineLeaseTest): void {
  test("allows one holder to acquire and renew a lease", async (leases) => {
    assert.equal(await tryAcquire(leases, "a"), true);
    assert.equal(await tryAcquire(leases, "b"), false);
    assert.equal(await tryAcquire(leases, "a"), true);
    assert.equal(await tryAcquire(leases, "b"), false);
  });

  test("allows only one of many concurrent holders to acquire a lease", async (leases) => {
    const taken = await concurrently((index) => tryAcquire(leases, `holder ${index}`));
    assert.equal(countOf(taken, true), 1, "holders that acquired the lease");
  });

  test("frees an expired lease", async (leases) => {
    await tryAcquire(leases, "a", { leaseMs: SHORT_MS });
    await acquireWhenFree(leases, "lease");
    assert.equal(await tryAcquire(leases, "a"), false);
  });

  test("measures a lease from its last renewal", async (leases) => {
    await tryAcquire(leases, "a", { leaseMs: SHORT_MS });
    // on a slow machine the first lease may have expired; "a" then acquires it again
    assert.equal(await tryAcquire(leases, "a", { leaseMs: LONG_MS }), true);
    await waitFor(leases, 2 * SHORT_MS);
    assert.equal(await tryAcquire(leases, "b"), false);
    // a renewal can also shorten the lease
    assert.equal(await tryAcquire(leases, "a", { leaseMs: SHORT_MS }), true);
    await acquireWhenFree(leases, "lease");
  });

  test("distinguishes unusual names", async (leases) => {
    for (const [index, name] of UNUSUAL_STRINGS.entries())
      assert.equal(await tryAcquire(leases, `${index}`, { name }), true, name);
    for (const name of UNUSUAL_STRINGS)
      assert.equal(await tryAcquire(leases, "another", { name }), false, name);
  });

  test("distinguishes unusual holders", async (leases) => {
    for (const holder of UNUSUAL_STRINGS) {
      assert.equal(await tryAcquire(leases, holder), true, holder);
      for (const other of UNUSUAL_STRINGS)
        assert.equal(
          await tryAcquire(leases, other),
          other === holder,
          `${other} while ${holder} has the lease`,
        );
      await release(leases, holder, 0);
    }
  });
}

function testPriorities(test: DefineLeaseTest): void {
  const interactive = { priority: "interactive" } as const;

  test("returns `raised` to the holder after an interactive request is denied", async (leases) => {
    assert.equal(await acquire(leases, "a"), "acquired");
    assert.equal(await acquire(leases, "b"), "held");
    assert.equal(await acquire(leases, "a"), "acquired");
    assert.equal(await acquire(leases, "b", interactive), "held");
    assert.equal(await acquire(leases, "c"), "held");
    for (let time = 0; time < 2; time += 1) assert.equal(await acquire(leases, "a"), "raised");
  });

  test("does not raise another lease, or the next holder's lease", async (leases) => {
    assert.equal(await acquire(leases, "a", interactive), "acquired");
    assert.equal(await acquire(leases, "a", interactive), "acquired");
    await acquire(leases, "b", interactive);
    assert.equal(await acquire(leases, "c", { name: "another" }), "acquired");
    await release(leases, "a", 0);
    assert.equal(await acquire(leases, "b"), "acquired");
  });

  test("releases a raised lease like any other", async (leases) => {
    await acquire(leases, "a");
    await acquire(leases, "b", interactive);
    await release(leases, "b", 0);
    assert.equal(await acquire(leases, "a"), "raised");
    await release(leases, "a", LONG_MS);
    for (const holder of ["a", "b"]) assert.equal(await acquire(leases, holder, interactive), "held");
  });

  test("does not extend a lease for interactive requests", async (leases) => {
    await acquire(leases, "a", { leaseMs: SHORT_MS });
    // on a slow machine the lease may have expired; "b" then acquires it for the same time
    await acquire(leases, "b", { ...interactive, leaseMs: SHORT_MS });
    await acquireWhenFree(leases, "lease");
    assert.equal(await acquire(leases, "a"), "held");
  });
}

function testReleasing(test: DefineLeaseTest): void {
  test("frees a lease that its holder releases", async (leases) => {
    await tryAcquire(leases, "a");
    await release(leases, "a", 0);
    assert.equal(await tryAcquire(leases, "b"), true);
  });

  test("denies a lingering lease to every holder", async (leases) => {
    await tryAcquire(leases, "a");
    await release(leases, "a", LONG_MS);
    for (const holder of ["a", "b"])
      assert.equal(await tryAcquire(leases, holder), false, `${holder} acquired a lingering lease`);
    // already released: releasing it again changes nothing
    await release(leases, "a", 0);
    assert.equal(await tryAcquire(leases, "b"), false);
  });

  test("frees a lease after its linger time, regardless of the lease's length", async (leases) => {
    await tryAcquire(leases, "a", { leaseMs: LONG_MS });
    await release(leases, "a", SHORT_MS);
    await acquireWhenFree(leases, "lease");
  });

  test("ignores a release by another holder or of a free lease", async (leases) => {
    await release(leases, "a", LONG_MS);
    assert.equal(await tryAcquire(leases, "a"), true);
    await release(leases, "b", 0);
    assert.equal(await tryAcquire(leases, "b"), false);
  });

  test("ignores a release of a lease that expired and was acquired by another", async (leases) => {
    await tryAcquire(leases, "a", { leaseMs: SHORT_MS });
    await acquireWhenFree(leases, "lease");
    for (const lingerMs of [0, SHORT_MS]) await release(leases, "a", lingerMs);
    await waitFor(leases, 2 * SHORT_MS);
    assert.equal(await tryAcquire(leases, "b"), false);
  });
}
