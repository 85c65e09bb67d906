import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
} from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import { createReversals, type Reversals } from "../../src/credits/reversals.ts";
import { SnapError } from "../../src/errors.ts";
import type { Ledger, Resolution } from "../../src/ports/ledger.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { microtasks, openBatchBench } from "../batches/open-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const NEXT_MONTH_MS = Date.parse("2026-04-01T12:00:00Z");
const DAY_MS = 86_400_000;
const parameters = { url: "https://example.com/" };

/** How a call fails: `before` it is committed, or `after`. */
type Fault = "before" | "after" | null;

interface FaultyLedger {
  readonly ledger: Ledger;
  /** Of these methods the answers are lost. */
  readonly faults: Record<"settle" | "refund" | "reverse", Fault>;
  /** When each reversal was tried. */
  readonly triedAt: number[];
}

function withFaults(ledger: Ledger, clock: FakeClock): FaultyLedger {
  const faults: FaultyLedger["faults"] = { settle: null, refund: null, reverse: null };
  const triedAt: number[] = [];
  const faulty =
    (method: keyof typeof faults): Ledger["settle"] =>
    async (request) => {
      if (method === "reverse") triedAt.push(clock.now() - START_MS);
      if (faults[method] === "before") throw new Error("no connection");
      const resolution = await ledger[method](request);
      if (faults[method] === "after") throw new Error("no answer");
      return resolution;
    };
  const methods = { settle: faulty("settle"), refund: faulty("refund"), reverse: faulty("reverse") };
  return { ledger: { ...ledger, ...methods }, faults, triedAt };
}

let clock: FakeClock;
let storage: Storage;
let faults: FaultyLedger["faults"];
let triedAt: number[];
let errors: unknown[];
let closed: string[];
let engine: Engine;
let renderer: FakeRenderer;
let principal: Principal;

beforeEach(async () => {
  clock = createFakeClock(START_MS);
  storage = createMemoryStorage();
  errors = [];
  closed = [];
  const faulty = withFaults(storage.ledger, clock);
  ({ faults, triedAt } = faulty);
  renderer = createFakeRenderer();
  engine = createEngine({
    storage: { ...storage, ledger: faulty.ledger, close: async () => void closed.push("storage") },
    renderer,
    secretKey: "a key for these tests",
    clock,
    random: createFakeRandom(1),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
    onBackgroundError: (error) => errors.push(error),
  });
  const account = await engine.accounts.create({ email: "a@b.org", planSlug: "starter", verified: true });
  const { token } = await engine.tokens.create({ accountId: account.id });
  principal = await engine.authenticate(token);
});

async function pass(ms: number, stepMs = 500): Promise<void> {
  for (let passed = 0; passed < ms; passed += stepMs) {
    await microtasks();
    clock.advance(stepMs);
  }
  await microtasks();
}

const used = async (): Promise<number> => (await engine.credits(principal.account)).used;

async function journal(): Promise<string[]> {
  const lines = await storage.ledger.journal({ accountId: principal.account.id, limit: 100 });
  return lines.map(({ kind }) => kind).toReversed();
}

/** A request whose settlement was committed, and which heard nothing of it. */
async function failCapture(): Promise<void> {
  Object.assign(faults, { settle: "after", refund: "before", reverse: "before" } satisfies typeof faults);
  const failed = engine.capture({ principal, parameters });
  await expect(failed).rejects.toMatchObject({ code: "server_error", status: 500 });
}

describe("a failed render whose refund gets no response", () => {
  it("is refunded when the ledger is back", async () => {
    faults.refund = "before";
    renderer.failNext(new SnapError("render_failed", "as scripted"));
    await expect(engine.capture({ principal, parameters })).rejects.toMatchObject({ code: "render_failed" });
    expect(await journal()).toEqual(["grant", "reserve"]);
    await pass(1000);
    expect(await journal()).toEqual(["grant", "reserve", "refund"]);
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 1000, used: 0 });
  });
});

describe("a capture whose settlement and refund get no answer", () => {
  it("fails at once; its charge is reversed when the ledger is back", async () => {
    await failCapture();
    expect(await used()).toBe(1);
    await pass(20_000);
    expect(await used()).toBe(1);
    faults.reverse = null;
    await pass(30_000);
    expect(await used()).toBe(0);
    expect(await journal()).toEqual(["grant", "reserve", "settle", "reverse"]);
    expect(errors.map(String)).toEqual(["Error: no connection"]);
    const tries = triedAt.length;
    await pass(120_000);
    expect(triedAt).toHaveLength(tries);
  });

  it("is reversed once, although the answer to that is lost, too", async () => {
    await failCapture();
    faults.reverse = "after";
    await pass(10_000);
    expect(triedAt.length).toBeGreaterThan(1);
    faults.reverse = null;
    await pass(30_000);
    expect(await journal()).toEqual(["grant", "reserve", "settle", "reverse"]);
    expect(await used()).toBe(0);
  });

  it("is refunded when nothing was committed, and a late settlement charges nothing", async () => {
    Object.assign(faults, { settle: "before", refund: "before" } satisfies Partial<typeof faults>);
    await expect(engine.capture({ principal, parameters })).rejects.toMatchObject({ code: "server_error" });
    await pass(1000);
    expect(await journal()).toEqual(["grant", "reserve", "refund"]);
    const [line] = await storage.ledger.journal({ accountId: principal.account.id, limit: 1 });
    const reservationId = line?.reservationId ?? "";
    expect(await storage.ledger.settle({ reservationId, now: clock.now() })).toBe("refunded");
    expect(await engine.credits(principal.account)).toMatchObject({ remaining: 1000, used: 0 });
  });

  it("is reversed against the period in which it was made", async () => {
    clock.advance(NEXT_MONTH_MS - START_MS - 10_000);
    principal = { ...principal, balance: null };
    await failCapture();
    await pass(20_000);
    faults.reverse = null;
    await pass(30_000);
    const look = { accountId: principal.account.id, granted: 1000, now: clock.now() };
    const period = { startedAt: START_MS, resetsAt: NEXT_MONTH_MS };
    expect(await storage.ledger.balance({ ...look, period })).toEqual({
      granted: 1000,
      used: 0,
      reserved: 0,
    });
    expect(await used()).toBe(0);
  });

  it("is tried after 1, 2, 4, 8, 16, 30 and every further 30 seconds, for a day", async () => {
    await failCapture();
    await pass(DAY_MS + 60_000, 1000);
    expect(triedAt.slice(0, 8)).toEqual([1, 3, 7, 15, 31, 61, 91, 121].map((seconds) => seconds * 1000));
    expect(triedAt.at(-1)).toBeGreaterThanOrEqual(DAY_MS);
    expect(triedAt.at(-1)).toBeLessThanOrEqual(DAY_MS + 30_000);
    const [refund, givenUp] = errors as Error[];
    expect(errors).toHaveLength(2);
    expect(refund?.message).toBe("no connection");
    const [line] = await storage.ledger.journal({ accountId: principal.account.id, limit: 1 });
    expect(givenUp?.message).toBe(
      `reservation ${line?.reservationId} may still be charged, although its request failed`,
    );
    expect(givenUp?.cause).toEqual(new Error("no connection"));
  });

  it("is reversed by close(), before the storage is closed", async () => {
    await failCapture();
    faults.reverse = null;
    await engine.close();
    expect(await journal()).toEqual(["grant", "reserve", "settle", "reverse"]);
    expect(closed).toEqual(["storage"]);
    await pass(60_000);
    expect(triedAt).toEqual([0]);
  });

  it("is told of by close() when the last attempt fails", async () => {
    await failCapture();
    await engine.close();
    expect(errors.map(String)).toEqual([
      "Error: no connection",
      expect.stringMatching(/^Error: reservation \w+ may still be charged, although its request failed$/),
    ]);
    await pass(60_000);
    expect(triedAt).toEqual([0]);
  });
});

it("a batch item that is done stays charged, although the answers to that are lost", async () => {
  const bench = openBatchBench();
  const memory = bench.storage;
  let isLost = false;
  const lost = async (): Promise<never> => {
    throw new Error("no answer");
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
  await bench.pass(60_000);
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
      onBackgroundError: (error) => errors.push(error),
    });

  it("go on behind one that always fails", async () => {
    const done: string[] = [];
    const reversals = openWith(async (id) => {
      if (id === "bad") throw new Error("no such partition");
      done.push(id);
      return "reversed";
    });
    for (const id of ["bad", "r1", "r2"]) reversals.add(id);
    await pass(5000);
    expect(done).toEqual(["r1", "r2"]);
    expect(errors).toEqual([]);
    await reversals.close();
    expect(errors).toHaveLength(1);
  });

  it("are tried one at a time while the ledger fails", async () => {
    const tried: string[] = [];
    const reversals = openWith(async (id) => {
      tried.push(id);
      throw new Error("no connection");
    });
    for (let index = 0; index < 100; index += 1) reversals.add(`r${index}`);
    await pass(8000);
    expect(tried).toEqual(["r0", "r1", "r2"]);
  });

  it("are 10,000 at most; one more is reported", async () => {
    const reversals = openWith(() => Promise.reject(new Error("no connection")));
    for (let index = 0; index < 10_000; index += 1) reversals.add(`r${index}`);
    expect(errors).toEqual([]);
    reversals.add("one more");
    expect(errors.map(String)).toEqual([
      "Error: reservation one more may still be charged, although its request failed",
    ]);
  });

  it("hold up close() for 5 seconds at most", async () => {
    const { promise, reject } = Promise.withResolvers<Resolution>();
    const reversals = openWith(() => promise);
    reversals.add("r1");
    let isClosed = false;
    void reversals.close().then(() => (isClosed = true));
    await pass(4900, 100);
    expect(isClosed).toBe(false);
    await pass(100, 100);
    expect(isClosed).toBe(true);
    reject(new Error("no connection"));
    await microtasks();
    expect(errors.map(String)).toEqual([
      "Error: reservation r1 may still be charged, although its request failed",
    ]);
  });

  it("don't hold up close() when there are none", async () => {
    await openWith(() => Promise.reject(new Error("no connection"))).close();
    expect(errors).toEqual([]);
  });
});
