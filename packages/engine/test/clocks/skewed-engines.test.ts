import {
  createFakeClock,
  createFakeRandom,
  createFakeRenderer,
  createMemoryStorage,
  type FakeClock,
  type FakeRenderer,
} from "@snap/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Engine } from "../../src/create-engine.ts";
import { flushMicrotasks } from "../batches/open-engine.ts";
import { createPrincipal, openTestEngine } from "../open-test-engine.ts";

const START_MS = Date.parse("2026-03-01T12:00:00Z");
const HOUR_MS = 3_600_000;
const document = { items: [{ url: "https://example.com/" }] };

interface Machine {
  readonly engine: Engine;
  readonly renderer: FakeRenderer;
  readonly clock: FakeClock;
}

/** Opens engines that share storage, on machines whose clocks differ from the storage's by `skewsMs`. */
function openMachines(...skewsMs: readonly number[]): {
  readonly machines: readonly Machine[];
  readonly advance: (ms: number) => Promise<void>;
} {
  const server = createFakeClock(START_MS);
  const clocks = [{ name: "PostgreSQL", now: async () => server.now() }];
  const storage = { ...createMemoryStorage(), clocks };
  const machines = skewsMs.map((skewMs, index) => {
    const renderer = createFakeRenderer();
    const clock = createFakeClock(START_MS + skewMs);
    const engine = openTestEngine({ storage, renderer, clock, random: createFakeRandom(index + 1) });
    onTestFinished(() => engine.close());
    return { engine, renderer, clock };
  });
  return {
    machines,
    async advance(ms) {
      for (let passed = 0; passed < ms; passed += 500) {
        await flushMicrotasks();
        for (const clock of [server, ...machines.map((machine) => machine.clock)]) clock.advance(500);
      }
      await flushMicrotasks();
    },
  };
}

it.each([
  [2000, []],
  [-2000, []],
  [2001, ["clock: this machine's clock is 2.0 s ahead of PostgreSQL's"]],
  [-3200, ["clock: this machine's clock is 3.2 s behind PostgreSQL's"]],
])(
  "a machine whose clock is off by %i ms reports these reasons for not being ready: %j",
  async (skewMs, reasons) => {
    const { machines, advance } = openMachines(skewMs);
    const [{ engine, clock }] = machines as [Machine];
    expect(await engine.health()).toMatchObject({ ready: reasons.length === 0, reasons });
    expect(engine.clockSkews()).toEqual([{ server: "PostgreSQL", skewMs }]);
    clock.set(clock.now() - skewMs);
    await advance(60_000);
    expect(await engine.health()).toMatchObject({ ready: true, reasons: [] });
  },
);

describe.each([
  [0, HOUR_MS],
  [0, -HOUR_MS],
  [0, 20_000],
  [2000, -2000],
  [-2000, 2000],
])("machines whose clocks are off by %i ms and %i ms", (firstMs, secondMs) => {
  it("render an item once, although both have a worker", async () => {
    const { machines, advance } = openMachines(firstMs, secondMs);
    const [owner, other] = machines as [Machine, Machine];
    const principal = await createPrincipal(owner.engine, { creditsPerPeriod: 10 });
    const release = owner.renderer.hold();
    const { id } = await owner.engine.batches.submit({ principal, document });
    const worker = owner.engine.startWorker();
    await owner.renderer.whenCalled(1);
    other.engine.startWorker();
    await advance(30_000);
    expect(other.renderer.calls).toHaveLength(0);
    release();
    await worker.stop();
    const record = await owner.engine.batches.inspect(id);
    expect(record?.items[0]?.state).toMatchObject({ status: "done", creditCost: 1 });
    expect(await owner.engine.credits(principal.account)).toMatchObject({ used: 1, remaining: 9 });
  });
});

it("a worker claims items within a minute after its clock is corrected", async () => {
  const { machines, advance } = openMachines(0, HOUR_MS);
  const [accurate, { engine, renderer, clock }] = machines as [Machine, Machine];
  await accurate.engine.batches.submit({
    principal: await createPrincipal(accurate.engine, { creditsPerPeriod: 10 }),
    document,
  });
  engine.startWorker();
  await advance(30_000);
  expect(renderer.calls).toHaveLength(0);
  clock.set(clock.now() - HOUR_MS);
  await advance(31_000);
  expect(renderer.calls).toHaveLength(1);
});
