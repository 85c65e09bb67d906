import { createFakeClock, type FakeClock } from "@snap/testing";
import { beforeEach, describe, expect, it } from "vitest";
import type { Capture } from "../../src/capture.ts";
import { SnapError } from "../../src/errors.ts";
import type { Storage } from "../../src/ports/storage.ts";
import type { Principal } from "../../src/ports/tokens.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";
import { createProcesses, type Process, type Processes } from "./processes.ts";
import { createPrincipal } from "../open-test-engine.ts";

const parameters = { url: "https://example.com/" };

let processes: Processes;
let clock: FakeClock;
let storage: Storage;
let one: Process;
let two: Process;

beforeEach(() => {
  processes = createProcesses();
  ({ clock, storage } = processes);
  one = processes.open();
  two = processes.open();
});

const runToCompletion = <T>(work: Promise<T>): Promise<T> => processes.runToCompletion(work);

const customer = (creditsPerPeriod = 10): Promise<Principal> =>
  createPrincipal(one.engine, { creditsPerPeriod, requestsPerMinute: 1000 });

async function used({ account }: Principal): Promise<number> {
  return (await one.engine.credits(account)).used;
}

function countOf(captures: readonly Capture[], kind: Capture["cache"]): number {
  return captures.filter(({ cache }) => cache === kind).length;
}

describe("engines with shared storage", () => {
  it("render once for 50 concurrent identical captures: 1 miss, 49 hits, 1 credit", async () => {
    const principal = await customer();
    const release = one.renderer.hold();
    const releaseTwo = two.renderer.hold();
    const captures = Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? one : two).engine.capture({ principal, parameters }),
    );
    await Promise.race([one.renderer.whenCalled(1), two.renderer.whenCalled(1)]);
    release();
    releaseTwo();
    const captured = await runToCompletion(Promise.all(captures));
    expect([countOf(captured, "miss"), countOf(captured, "hit")]).toEqual([1, 49]);
    expect(captured.reduce((sum, { creditCost }) => sum + creditCost, 0)).toBe(1);
    expect(new Set(captured.map(({ rendering }) => rendering.etag)).size).toBe(1);
    expect(one.renderer.calls.length + two.renderer.calls.length).toBe(1);
    expect(await used(principal)).toBe(1);
  });

  it("wait for another process's render, even for a long time", async () => {
    const principal = await customer();
    const release = one.renderer.hold();
    const first = one.engine.capture({ principal, parameters });
    await one.renderer.whenCalled(1);
    const second = two.engine.capture({ principal, parameters });
    for (let step = 0; step < 1000; step += 1) {
      await flushMicrotasks();
      clock.advance(50);
    }
    expect(two.renderer.calls).toHaveLength(0);
    release();
    expect((await runToCompletion(first)).cache).toBe("miss");
    expect(await runToCompletion(second)).toMatchObject({ cache: "hit", creditCost: 0, balance: null });
  });

  it("render the page themselves after a request's maxWaitMs", async () => {
    const principal = await customer();
    const release = one.renderer.hold();
    const first = one.engine.capture({ principal, parameters });
    await one.renderer.whenCalled(1);
    const startedAt = clock.now();
    const second = await runToCompletion(two.engine.capture({ principal, parameters, maxWaitMs: 10_000 }));
    expect(second).toMatchObject({ cache: "miss", creditCost: 1 });
    expect(clock.now() - startedAt).toBeLessThan(11_000);
    release();
    expect((await runToCompletion(first)).cache).toBe("miss");
  });

  it("render different captures independently", async () => {
    const principal = await customer();
    await runToCompletion(
      Promise.all([
        one.engine.capture({ principal, parameters }),
        two.engine.capture({ principal, parameters: { ...parameters, fullPage: true } }),
      ]),
    );
    expect([one.renderer.calls.length, two.renderer.calls.length]).toEqual([1, 1]);
  });

  it("retry after another process's render fails", async () => {
    const principal = await customer(1);
    one.renderer.failNext(new SnapError("render_timeout", "too slow"));
    const release = one.renderer.hold();
    const first = one.engine.capture({ principal, parameters });
    await one.renderer.whenCalled(1);
    const second = two.engine.capture({ principal, parameters });
    await flushMicrotasks();
    release();
    await expect(runToCompletion(first)).rejects.toMatchObject({ code: "render_timeout" });
    expect((await runToCompletion(second)).cache).toBe("miss");
    expect(await used(principal)).toBe(1);
  });

  it("take over when the process that is rendering dies", async () => {
    const principal = await customer();
    // its clock has stopped, so it does not renew its lease
    const lost = processes.open(createFakeClock(clock.now()));
    const release = lost.renderer.hold();
    const first = lost.engine.capture({ principal, parameters });
    await lost.renderer.whenCalled(1);
    expect((await runToCompletion(two.engine.capture({ principal, parameters }))).cache).toBe("miss");
    expect(two.renderer.calls).toHaveLength(1);
    // the lost process continues: both renders are charged
    release();
    expect((await first).cache).toBe("miss");
    expect(await used(principal)).toBe(2);
  });

  it("hit another process's renderings, and miss deleted ones", async () => {
    const principal = await customer();
    const { rendering } = await runToCompletion(one.engine.capture({ principal, parameters }));
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
    expect((await runToCompletion(two.engine.capture({ principal, parameters }))).cache).toBe("miss");
    expect((await one.engine.capture({ principal, parameters })).cache).toBe("hit");
  });
});
