import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createFakeResolver,
  createMemoryFlights,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
} from "@snap/testing";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import type { Capture } from "../../src/capture.ts";
import { createEngine, type Engine } from "../../src/create-engine.ts";
import { SnapError } from "../../src/errors.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { Principal } from "../../src/tokens/authenticate.ts";
import { microtasks } from "../batches/open-engine.ts";

const parameters = { url: "https://example.com/" };

let clock: FakeClock;
let storage: Storage;
let one: Process;
let two: Process;

/** An engine in a process of its own, as far as the others can see. */
interface Process {
  readonly engine: Engine;
  readonly renderer: FakeRenderer;
}

let opened = 0;

function open(ownClock: FakeClock = clock): Process {
  const renderer = createFakeRenderer();
  const engine = createEngine({
    storage,
    renderer,
    secretKey: "a key for these tests",
    clock: ownClock,
    random: createFakeRandom((opened += 1)),
    resolver: createFakeResolver({ "example.com": ["93.184.215.14"] }),
  });
  onTestFinished(() => engine.close());
  return { engine, renderer };
}

beforeEach(() => {
  clock = createFakeClock(Date.parse("2026-03-01T12:00:00Z"));
  storage = { ...createMemoryStorage(), flights: createMemoryFlights(clock.now) };
  one = open();
  two = open();
});

async function customer(credits = 10): Promise<Principal> {
  const { engine } = one;
  const account = await engine.accounts.create({
    email: "ada@example.com",
    planSlug: "starter",
    creditsPerPeriod: credits,
    requestsPerMinute: 1000,
    verified: true,
  });
  const { token } = await engine.tokens.create({ accountId: account.id });
  return engine.authenticate(token);
}

async function used({ account }: Principal): Promise<number> {
  return (await one.engine.credits(account)).used;
}

/** Lets time pass in steps until the work is done. */
async function finished<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const settled = work.finally(() => {
    isDone = true;
  });
  // It may fail while time still passes.
  settled.catch(() => {});
  while (!isDone) {
    await microtasks();
    clock.advance(50);
  }
  return settled;
}

function countOf(captures: readonly Capture[], wanted: Capture["cache"]): number {
  return captures.filter(({ cache }) => cache === wanted).length;
}

describe("engines over one storage", () => {
  it("render once for 50 identical captures at once: 1 miss, 49 hits, 1 credit", async () => {
    const principal = await customer();
    const release = one.renderer.hold();
    const releaseTwo = two.renderer.hold();
    const captures = Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? one : two).engine.capture({ principal, parameters }),
    );
    await Promise.race([one.renderer.whenCalled(1), two.renderer.whenCalled(1)]);
    release();
    releaseTwo();
    const answered = await finished(Promise.all(captures));
    expect([countOf(answered, "miss"), countOf(answered, "hit")]).toEqual([1, 49]);
    expect(answered.reduce((sum, { creditCost }) => sum + creditCost, 0)).toBe(1);
    expect(new Set(answered.map(({ rendering }) => rendering.etag)).size).toBe(1);
    expect(one.renderer.calls.length + two.renderer.calls.length).toBe(1);
    expect(await used(principal)).toBe(1);
  });

  it("wait for a render of another, however long it takes", async () => {
    const principal = await customer();
    const release = one.renderer.hold();
    const first = one.engine.capture({ principal, parameters });
    await one.renderer.whenCalled(1);
    const second = two.engine.capture({ principal, parameters });
    for (let step = 0; step < 1000; step += 1) {
      await microtasks();
      clock.advance(50);
    }
    expect(two.renderer.calls).toHaveLength(0);
    release();
    expect((await finished(first)).cache).toBe("miss");
    expect(await finished(second)).toMatchObject({ cache: "hit", creditCost: 0, balance: null });
  });

  it("render each for itself what differs, or is asked for by different accounts", async () => {
    const principal = await customer();
    await finished(
      Promise.all([
        one.engine.capture({ principal, parameters }),
        two.engine.capture({ principal, parameters: { ...parameters, fullPage: true } }),
      ]),
    );
    expect([one.renderer.calls.length, two.renderer.calls.length]).toEqual([1, 1]);
  });

  it("try again where the one that rendered has failed", async () => {
    const principal = await customer(1);
    one.renderer.failNext(new SnapError("render_timeout", "too slow"));
    const release = one.renderer.hold();
    const first = one.engine.capture({ principal, parameters });
    await one.renderer.whenCalled(1);
    const second = two.engine.capture({ principal, parameters });
    await microtasks();
    release();
    await expect(finished(first)).rejects.toMatchObject({ code: "render_timeout" });
    expect((await finished(second)).cache).toBe("miss");
    expect(await used(principal)).toBe(1);
  });

  it("go on where the one that rendered is lost", async () => {
    const principal = await customer();
    // Its clock stands still, so it keeps no lease.
    const lost = open(createFakeClock(clock.now()));
    const release = lost.renderer.hold();
    const first = lost.engine.capture({ principal, parameters });
    await lost.renderer.whenCalled(1);
    expect((await finished(two.engine.capture({ principal, parameters }))).cache).toBe("miss");
    expect(two.renderer.calls).toHaveLength(1);
    // It was not lost after all: each is charged for what it rendered.
    release();
    expect((await first).cache).toBe("miss");
    expect(await used(principal)).toBe(2);
  });

  it("answer from the storage what another has rendered, and not what was deleted there", async () => {
    const principal = await customer();
    const { rendering } = await finished(one.engine.capture({ principal, parameters }));
    const hit = await two.engine.capture({ principal, parameters });
    expect(hit).toMatchObject({ cache: "hit", creditCost: 0 });
    expect(hit.rendering.etag).toBe(rendering.etag);
    const keys: { accountId: string; key: string }[] = [];
    const { renderings } = storage;
    const { peek } = renderings;
    renderings.peek = (request) => (keys.push(request), peek(request));
    await one.engine.capture({ principal, parameters });
    for (const key of keys) await renderings.delete(key);
    clock.advance(1000);
    expect((await finished(two.engine.capture({ principal, parameters }))).cache).toBe("miss");
    expect((await one.engine.capture({ principal, parameters })).cache).toBe("hit");
  });
});
