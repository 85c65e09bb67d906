import {
  createFakeClock,
  createFakeRenderer,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
} from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { type Engine } from "../../src/create-engine.ts";
import { createReversals, type Reversals } from "../../src/credits/reversals.ts";
import type { EngineEvent } from "../../src/engine-event.ts";
import { SnapError } from "../../src/errors.ts";
import type { Ledger, Resolution } from "../../src/ports/ledger.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { flushMicrotasks, openBatchBench } from "../batches/open-engine.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const NEXT_MONTH_MS = Date.parse("2026-04-01T12:00:00Z");
const DAY_MS = 86_400_000;
const parameters = { url: "https://example.com/" };

/** How a call fails: `before` it is committed, or `after`. */
type Fault = "before" | "after" | null;

interface FaultyLedger {
  readonly ledger: Ledger;
  /** The methods that fail, and how. */
  readonly faults: Record<"settle" | "refund" | "reverse", Fault>;
  /** When each reversal was attempted, in milliseconds since `START_MS`. */
  readonly attemptedAt: number[];
}

function withFaults(ledger: Ledger, clock: FakeClock): FaultyLedger {
  const faults: FaultyLedger["faults"] = { settle: null, refund: null, reverse: null };
  const attemptedAt: number[] = [];
  const faulty =
    (method: keyof typeof faults): Ledger["settle"] =>
    async (request) => {
      if (method === "reverse") attemptedAt.push(clock.now() - START_MS);
      if (faults[method] === "before") throw new Error("no connection");
      const resolution = await ledger[method](request);
      if (faults[method] === "after") throw new Error("connection lost");
      return resolution;
    };
  const methods = { settle: faulty("settle"), refund: faulty("refund"), reverse: faulty("reverse") };
  return { ledger: { ...ledger, ...methods }, faults, attemptedAt };
}

let clock: FakeClock;
let storage: Storage;
let faults: FaultyLedger["faults"];
let attemptedAt: number[];
let errors: unknown[];
let events: string[];
let engine: Engine;
let renderer: FakeRenderer;
let principal: Principal;

beforeEach(async () => {
  clock = createFakeClock(START_MS);
  storage = createMemoryStorage();
  errors = [];
  events = [];
  renderer = createFakeRenderer();
  const faulty = withFaults(storage.ledger, clock);
  ({ faults, attemptedAt } = faulty);
  engine = openTestEngine({
    storage: { ...storage, ledger: faulty.ledger, close: async () => void events.push("storage closed") },
    renderer,
    clock,
    onEvent: recordEvent,
    onBackgroundError: (error) => errors.push(error),
  });
  principal = await createPrincipal(engine);
});

function recordEvent(event: EngineEvent): void {
  if (event.type === "ledger-failed") events.push(`${event.operation} failed`);
  if (event.type === "reservation-ended") events.push(event.resolution);
}

async function advance(ms: number, stepMs = 500): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await flushMicrotasks();
    clock.advance(stepMs);
  }
  await flushMicrotasks();
}

const used = async (): Promise<number> => (await engine.credits(principal.account)).used;

async function journal(): Promise<string[]> {
  const lines = await storage.ledger.journal({ accountId: principal.account.id, limit: 100 });
  return lines.map(({ kind }) => kind).toReversed();
}

/** Makes a request fail after its settlement is committed; refunds and reversals fail too. */
async function failCapture(): Promise<void> {
  Object.assign(faults, { settle: "after", refund: "before", reverse: "before" } satisfies typeof faults);
  const failed = engine.capture({ principal, parameters });
  await expect(failed).rejects.toMatchObject({ code: "server_error", status: 500 });
}

describe("a failed render whose refund also fails", () => {
  it("is refunded when the ledger recovers", async () => {
    faults.refund = "before";
    renderer.failNext(new SnapError("render_failed", "as scripted"));
    await expect(engine.capture({ principal, parameters })).rejects.toMatchObject({ code: "render_failed" });
    expect(await journal()).toEqual(["grant", "reserve"]);
    expect(events).toEqual(["refund failed"]);
    await advance(1000);
    expect(await journal()).toEqual(["grant", "reserve", "refund"]);
    expect(events).toEqual(["refund failed", "refunded"]);
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 1000, used: 0 });
  });
});

describe("a charge whose settlement and refund fail without a definite result", () => {
  it("makes its capture fail immediately, and is reversed when the ledger recovers", async () => {
    await failCapture();
    expect(await used()).toBe(1);
    await advance(20_000);
    expect(await used()).toBe(1);
    faults.reverse = null;
    await advance(30_000);
    expect(await used()).toBe(0);
    expect(await journal()).toEqual(["grant", "reserve", "settle", "reverse"]);
    expect(errors.map(String)).toEqual(["Error: no connection"]);
    expect(events.slice(0, 3)).toEqual(["settle failed", "refund failed", "reverse failed"]);
    expect(events.at(-1)).toBe("reversed");
    const attempts = attemptedAt.length;
    await advance(120_000);
    expect(attemptedAt).toHaveLength(attempts);
  });

  it("is reversed once, even if the reversal's result is also lost", async () => {
    await failCapture();
    faults.reverse = "after";
    await advance(10_000);
    expect(attemptedAt.length).toBeGreaterThan(1);
    faults.reverse = null;
    await advance(30_000);
    expect(await journal()).toEqual(["grant", "reserve", "settle", "reverse"]);
    expect(await used()).toBe(0);
  });

  it("is refunded if nothing was committed, and a late settlement charges nothing", async () => {
    Object.assign(faults, { settle: "before", refund: "before" } satisfies Partial<typeof faults>);
    await expect(engine.capture({ principal, parameters })).rejects.toMatchObject({ code: "server_error" });
    await advance(1000);
    expect(await journal()).toEqual(["grant", "reserve", "refund"]);
    const [line] = await storage.ledger.journal({ accountId: principal.account.id, limit: 1 });
    const reservationId = line?.reservationId ?? "";
    expect(await storage.ledger.settle({ reservationId, now: clock.now() })).toBe("refunded");
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 1000, used: 0 });
  });

  it("is reversed in its reservation's period", async () => {
    clock.advance(NEXT_MONTH_MS - START_MS - 10_000);
    principal = { ...principal, balance: null };
    await failCapture();
    await advance(20_000);
    faults.reverse = null;
    await advance(30_000);
    const request = { accountId: principal.account.id, granted: 1000, now: clock.now() };
    const period = { startedAt: START_MS, resetsAt: NEXT_MONTH_MS };
    expect(await storage.ledger.balance({ ...request, period })).toEqual({
      granted: 1000,
      used: 0,
      reserved: 0,
    });
    expect(await used()).toBe(0);
  });

  it("has its reversal retried after 1, 2, 4, 8, 16 and 30 seconds, then every 30 seconds, for a day", async () => {
    await failCapture();
    await advance(DAY_MS + 60_000, 1000);
    expect(attemptedAt.slice(0, 8)).toEqual([1, 3, 7, 15, 31, 61, 91, 121].map((seconds) => seconds * 1000));
    expect(attemptedAt.at(-1)).toBeGreaterThanOrEqual(DAY_MS);
    expect(attemptedAt.at(-1)).toBeLessThanOrEqual(DAY_MS + 30_000);
    const [refund, abandoned] = errors as Error[];
    expect(errors).toHaveLength(2);
    expect(refund?.message).toBe("no connection");
    const [line] = await storage.ledger.journal({ accountId: principal.account.id, limit: 1 });
    expect(abandoned?.message).toBe(
      `reservation ${line?.reservationId} may still be charged, although its request failed`,
    );
    expect(abandoned?.cause).toEqual(new Error("no connection"));
  });

  it("is reversed by close(), before the storage is closed", async () => {
    await failCapture();
    faults.reverse = null;
    await engine.close();
    expect(await journal()).toEqual(["grant", "reserve", "settle", "reverse"]);
    expect(events).toEqual(["settle failed", "refund failed", "reversed", "storage closed"]);
    await advance(60_000);
    expect(attemptedAt).toEqual([0]);
  });

  it("is reported by close() if the last attempt fails", async () => {
    await failCapture();
    await engine.close();
    expect(errors.map(String)).toEqual([
      "Error: no connection",
      expect.stringMatching(/^Error: reservation \w+ may still be charged, although its request failed$/),
    ]);
    expect(events).toEqual(["settle failed", "refund failed", "give-up failed", "storage closed"]);
    await advance(60_000);
    expect(attemptedAt).toEqual([0]);
  });
});

describe("a capture's events", () => {
  it("report how its reservation ended", async () => {
    await engine.capture({ principal, parameters });
    expect(events).toEqual(["settled"]);
    renderer.failNext(new SnapError("render_failed", "as scripted"));
    const failing = { url: "https://example.com/failing" };
    await expect(engine.capture({ principal, parameters: failing })).rejects.toMatchObject({
      code: "render_failed",
    });
    expect(events).toEqual(["settled", "refunded"]);
  });

  it("report that its reservation lapsed before the render finished", async () => {
    const release = renderer.hold();
    const captured = engine.capture({ principal, parameters });
    await renderer.whenCalled(1);
    clock.advance(135_000);
    release();
    expect(await captured).toMatchObject({ creditCost: 0 });
    expect(events).toEqual(["lapsed"]);
  });

  it("report that no credit could be reserved", async () => {
    storage.ledger.reserve = () => Promise.reject(new Error("no connection"));
    const failing = openTestEngine({ storage, renderer, clock, onEvent: recordEvent });
    await expect(failing.capture({ principal, parameters })).rejects.toMatchObject({ code: "server_error" });
    expect(events).toEqual(["reserve failed"]);
  });
});

it("a finished batch item stays charged, even if the results of its settlement are lost", async () => {
  const bench = openBatchBench();
  const memory = bench.storage;
  let isLost = false;
  const lost = async (): Promise<never> => {
    throw new Error("connection lost");
  };
  const failing = bench.open({
    storage: {
      ...memory,
      ledger: { ...memory.ledger, refund: (request) => (isLost ? lost() : memory.ledger.refund(request)) },
      batches: {
        ...memory.batches,
        async change(request) {
          const changed = await memory.batches.change(request);
          if (request.settle === undefined) return changed;
          isLost = true;
          return lost();
        },
      },
    },
  });
  const customer = await bench.customer({ credits: 10 });
  const { id: batchId } = await bench.submit(customer, ["page"]);
  failing.startWorker();
  const batch = await bench.until({ principal: customer, batchId }, ({ status }) => status === "complete");
  await bench.advance(60_000);
  expect(batch.items).toMatchObject([{ status: "done", credit_cost: 1 }]);
  expect(isLost).toBe(true);
  const lines = await memory.ledger.journal({ accountId: customer.account.id, limit: 10 });
  expect(lines.map(({ kind }) => kind).toReversed()).toEqual(["grant", "reserve", "settle"]);
});

describe("reversals", () => {
  const openWith = (reverse: (id: string) => Promise<Resolution>): Reversals =>
    createReversals({
      ledger: { ...storage.ledger, reverse: ({ reservationId }) => reverse(reservationId) },
      clock,
      onEvent: recordEvent,
      onBackgroundError: (error) => errors.push(error),
    });

  it("continue after one that always fails", async () => {
    const done: string[] = [];
    const reversals = openWith(async (id) => {
      if (id === "bad") throw new Error("no such partition");
      done.push(id);
      return "reversed";
    });
    for (const id of ["bad", "r1", "r2"]) reversals.add(id);
    await advance(5000);
    expect(done).toEqual(["r1", "r2"]);
    expect(errors).toEqual([]);
    await reversals.close();
    expect(errors).toHaveLength(1);
  });

  it("are attempted one at a time while the ledger fails", async () => {
    const attempted: string[] = [];
    const reversals = openWith(async (id) => {
      attempted.push(id);
      throw new Error("no connection");
    });
    for (let index = 0; index < 100; index += 1) reversals.add(`r${index}`);
    await advance(8000);
    expect(attempted).toEqual(["r0", "r1", "r2"]);
  });

  it("are limited to 10,000; the next one is reported", async () => {
    const reversals = openWith(() => Promise.reject(new Error("no connection")));
    for (let index = 0; index < 10_000; index += 1) reversals.add(`r${index}`);
    expect(errors).toEqual([]);
    reversals.add("one more");
    expect(errors.map(String)).toEqual([
      "Error: reservation one more may still be charged, although its request failed",
    ]);
  });

  it("delay close() by at most 5 seconds", async () => {
    const { promise, reject } = Promise.withResolvers<Resolution>();
    const reversals = openWith(() => promise);
    reversals.add("r1");
    let isClosed = false;
    void reversals.close().then(() => (isClosed = true));
    await advance(4900, 100);
    expect(isClosed).toBe(false);
    await advance(100, 100);
    expect(isClosed).toBe(true);
    reject(new Error("no connection"));
    await flushMicrotasks();
    expect(errors.map(String)).toEqual([
      "Error: reservation r1 may still be charged, although its request failed",
    ]);
  });

  it("are reported once if close() repeats one that is running", async () => {
    const { promise, resolve } = Promise.withResolvers<Resolution>();
    const reversals = openWith(() => promise);
    reversals.add("r1");
    await advance(1000);
    events.length = 0;
    const closed = reversals.close();
    resolve("reversed");
    await closed;
    expect(events).toHaveLength(1);
  });

  it("do not delay close() if none are pending", async () => {
    await openWith(() => Promise.reject(new Error("no connection"))).close();
    expect(errors).toEqual([]);
  });
});
