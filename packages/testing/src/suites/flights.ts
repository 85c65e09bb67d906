import type {
  Boarding,
  BoardRequest,
  FlightStore,
  SpendRequest,
  Storage,
  StoredRendering,
} from "@snap/engine";
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { allAtOnce, AWKWARD_TEXTS, countOf, defineSuite } from "./suite.ts";
import type { OpenStorage, SuiteRunner } from "./suite.ts";

/** Of what must not end while the test runs. */
const LONG_MS = 600_000;
/** Of what is waited for. */
const SHORT_MS = 40;
const LOOK_AGAIN_MS = 5;

const NOW = 1_767_225_600_000;
const KEY = { accountId: "acct_1", key: "0f1e" };

/** Flights are taken together with a budget, unless a rendering is kept. */
type FlightPorts = "flights" | "renderings" | "budgets";

/** With the flights that there have to be. */
type Flying = Pick<Storage, FlightPorts> & { readonly flights: FlightStore };

/**
 * The contract of `FlightStore`: one holder at a time, for as long as its lease. The leases go by the
 * storage's own clock, so their ends are waited for; no test fails because a machine is slow.
 */
export function testFlightStore(runner: SuiteRunner, open: OpenStorage<FlightPorts>): void {
  defineSuite<FlightPorts>({ runner, open, name: "FlightStore" }, (test) => {
    const testFlights: DefineFlightTest = (title, run) =>
      test(title, async (storage) => {
        const { flights } = storage;
        assert.ok(flights !== null, "the storage has no flights");
        await run(flights, { ...storage, flights });
      });
    testTaking(testFlights);
    testEnding(testFlights);
    testBoarding(testFlights);
  });
}

type DefineFlightTest = (
  title: string,
  run: (flights: FlightStore, storage: Flying) => Promise<void>,
) => void;

function take(flights: FlightStore, holder: string, leaseMs = LONG_MS): Promise<boolean> {
  return flights.take({ name: "flight", holder, leaseMs });
}

function end(flights: FlightStore, holder: string, lingerMs: number): Promise<void> {
  return flights.end({ name: "flight", holder, lingerMs });
}

/** Waits until somebody new can take it. */
async function whenFree(flights: FlightStore, name: string): Promise<void> {
  while (!(await flights.take({ name, holder: "next", leaseMs: LONG_MS }))) await pause(LOOK_AGAIN_MS);
}

/** So long after this, by the storage's own clock. */
async function whenPassed(flights: FlightStore, ms: number): Promise<void> {
  const name = `an hourglass of ${ms} ms`;
  await flights.take({ name, holder: "glass", leaseMs: ms });
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
    await take(flights, "a", SHORT_MS);
    await whenFree(flights, "flight");
    assert.equal(await take(flights, "a"), false);
  });

  test("counts a lease from when it was kept last", async (flights) => {
    await take(flights, "a", SHORT_MS);
    // On a slow machine the first lease may be over by now; "a" then takes it anew.
    assert.equal(await take(flights, "a", LONG_MS), true);
    await whenPassed(flights, 2 * SHORT_MS);
    assert.equal(await take(flights, "b"), false);
    // Also to less than was left.
    assert.equal(await take(flights, "a", SHORT_MS), true);
    await whenFree(flights, "flight");
  });

  test("keeps names apart, whatever they are", async (flights) => {
    for (const [index, name] of AWKWARD_TEXTS.entries())
      assert.equal(await flights.take({ name, holder: `${index}`, leaseMs: LONG_MS }), true, name);
    for (const name of AWKWARD_TEXTS)
      assert.equal(await flights.take({ name, holder: "another", leaseMs: LONG_MS }), false, name);
  });

  test("keeps holders apart, whatever they are", async (flights) => {
    for (const holder of AWKWARD_TEXTS) {
      assert.equal(await take(flights, holder), true, holder);
      for (const other of AWKWARD_TEXTS) assert.equal(await take(flights, other), other === holder);
      await end(flights, holder, 0);
    }
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
    await take(flights, "a", LONG_MS);
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
    await take(flights, "a", SHORT_MS);
    await whenFree(flights, "flight");
    for (const lingerMs of [0, SHORT_MS]) await end(flights, "a", lingerMs);
    await whenPassed(flights, 2 * SHORT_MS);
    assert.equal(await take(flights, "b"), false);
  });
}

function spend(change: Partial<SpendRequest> = {}): SpendRequest {
  return { accountId: "acct_1", budget: "render", limit: 3, windowMs: 60_000, now: NOW, ...change };
}

function board(flights: FlightStore, holder: string, change: Partial<BoardRequest> = {}): Promise<Boarding> {
  return flights.board({
    name: "flight",
    holder,
    leaseMs: LONG_MS,
    unlessKept: KEY,
    spend: spend(),
    ...change,
  });
}

function boarded(remaining: number): Boarding {
  return { state: "boarded", spent: { allowed: true, remaining, resetsAt: NOW + 60_000 } };
}

const HELD: Boarding = { state: "held" };
const REFUSED: Boarding = {
  state: "refused",
  spent: { allowed: false, remaining: 0, resetsAt: NOW + 60_000 },
};

const RENDERING: StoredRendering = {
  bytes: Uint8Array.of(1, 2, 3),
  contentType: "image/png",
  targetStatus: 200,
  notes: [],
  etag: '"039058c6"',
  storedAt: NOW,
  expiresAt: NOW + 60_000,
};

function testBoarding(test: DefineFlightTest): void {
  test("takes the flight and spends the budget, both as otherwise", async (flights, { budgets }) => {
    assert.deepEqual(await board(flights, "a"), boarded(2));
    assert.equal(await take(flights, "b"), false);
    assert.deepEqual(await budgets.spend(spend()), { allowed: true, remaining: 1, resetsAt: NOW + 60_000 });
    await end(flights, "a", 0);
    assert.deepEqual(await board(flights, "b"), boarded(0));
  });

  test("spends nothing on a flight that another has, or that lingers", async (flights) => {
    await take(flights, "a");
    assert.deepEqual(await board(flights, "b"), HELD);
    await end(flights, "a", LONG_MS);
    for (const holder of ["a", "b"]) assert.deepEqual(await board(flights, holder), HELD);
    assert.deepEqual(await board(flights, "b", { name: "another" }), boarded(2));
  });

  test("takes no flight where the budget refuses", async (flights) => {
    for (const name of ["1", "2", "3"]) await board(flights, name, { name });
    assert.deepEqual(await board(flights, "a"), REFUSED);
    assert.equal(await take(flights, "b"), true);
    // Who has the flight is told first.
    assert.deepEqual(await board(flights, "a"), HELD);
  });

  test("takes and spends nothing where the rendering is kept", async (flights, { renderings, budgets }) => {
    await renderings.put({ ...KEY, rendering: RENDERING });
    assert.deepEqual(await board(flights, "a"), { state: "kept" });
    assert.deepEqual(await budgets.spend(spend()), { allowed: true, remaining: 2, resetsAt: NOW + 60_000 });
    assert.equal(await take(flights, "b"), true);
    // That is told even while it is made anew.
    assert.deepEqual(await board(flights, "a"), { state: "kept" });
    await renderings.delete(KEY);
    assert.deepEqual(await board(flights, "b"), boarded(1));
  });

  test("takes it all the same where the rendering kept is another, or none that is wanted", async (flights, storage) => {
    await storage.renderings.put({ ...KEY, rendering: RENDERING });
    const other = { ...KEY, accountId: "acct_2" };
    assert.deepEqual(await board(flights, "a", { name: "other", unlessKept: other }), boarded(2));
    assert.deepEqual(await board(flights, "b", { unlessKept: null }), boarded(1));
  });

  test("of many at once, lets one board, and spends one", async (flights, { budgets }) => {
    const states = await allAtOnce(async (index) => (await board(flights, `holder ${index}`)).state);
    assert.equal(countOf(states, "boarded"), 1);
    assert.equal(countOf(states, "held"), states.length - 1);
    assert.equal((await budgets.spend(spend())).remaining, 1);
  });

  test("of many different ones at once, lets as many board as the budget has", async (flights) => {
    const states = await allAtOnce(async (index) => (await board(flights, "a", { name: `${index}` })).state);
    assert.equal(countOf(states, "boarded"), 3);
    assert.equal(countOf(states, "refused"), states.length - 3);
  });

  test("tells of no rendering that has expired", async (flights, { renderings }) => {
    await renderings.put({ ...KEY, rendering: RENDERING });
    const at = (now: number): Partial<BoardRequest> => ({ spend: spend({ now, windowMs: 600_000 }) });
    assert.deepEqual(await board(flights, "a", at(RENDERING.expiresAt - 1)), { state: "kept" });
    assert.equal((await board(flights, "a", at(RENDERING.expiresAt))).state, "boarded");
  });

  test("tells of a rendering whatever is known of it", async (flights, { renderings }) => {
    const notes = Array.from({ length: 200 }, (_, index) => `note ${index}, "with" äöü 鍵`);
    await renderings.put({ ...KEY, rendering: { ...RENDERING, notes, targetStatus: null } });
    assert.deepEqual(await board(flights, "a"), { state: "kept" });
    await renderings.put({ ...KEY, rendering: { ...RENDERING, bytes: new Uint8Array(0) } });
    assert.deepEqual(await board(flights, "a"), { state: "kept" });
  });

  test("lands: keeps the rendering and ends the flight", async (flights, { renderings }) => {
    await board(flights, "a");
    await flights.land({ name: "flight", holder: "a", lingerMs: LONG_MS, ...KEY, rendering: RENDERING });
    assert.equal((await renderings.get({ ...KEY, now: NOW }))?.etag, RENDERING.etag);
    assert.deepEqual(await board(flights, "b", { unlessKept: null }), HELD);
    assert.equal(await take(flights, "a"), false);
  });

  test("keeps what is landed without the flight, and leaves that alone", async (flights, { renderings }) => {
    await take(flights, "b");
    await flights.land({ name: "flight", holder: "a", lingerMs: 0, ...KEY, rendering: RENDERING });
    assert.equal((await renderings.get({ ...KEY, now: NOW }))?.etag, RENDERING.etag);
    assert.equal(await take(flights, "a"), false);
  });

  test("boards for as long as the lease", async (flights) => {
    await board(flights, "a", { leaseMs: SHORT_MS });
    await whenFree(flights, "flight");
    assert.deepEqual(await board(flights, "a"), HELD);
  });
}
