import { createFakeClock, createFakeMachine } from "@snap/testing";
import { describe, expect, it } from "vitest";
import type { EngineEvent } from "../../src/engine-event.ts";
import { systemClock, type Clock } from "../../src/ports/clock.ts";
import { Quarantine } from "../../src/schedule/quarantine.ts";
import { createScheduler, limitWait, type Scheduler } from "../../src/schedule/scheduler.ts";

const limits = {
  slots: 1,
  concurrency: 1,
  maxWaiting: 100,
  maxWaitingPerAccount: 50,
  maxWaitMs: 1000,
  quarantine: new Quarantine(systemClock),
  clock: systemClock,
  machine: createFakeMachine(),
};

/** A job that finishes when `open` is called. */
function gate(): { job: () => Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { job: () => opened, open };
}

/** Queues one job per name behind a running job; returns the order in which they ran. */
async function orderOf(
  scheduler: Scheduler,
  jobs: readonly (readonly [string, "interactive" | "batch", string])[],
): Promise<string[]> {
  const order: string[] = [];
  const first = gate();
  const running = [scheduler.run({ accountId: "first", priority: "interactive" }, first.job)];
  for (const [accountId, priority, name] of jobs) {
    running.push(
      scheduler.run({ accountId, priority }, async () => {
        order.push(name);
      }),
    );
  }
  first.open();
  await Promise.all(running);
  return order;
}

describe("createScheduler", () => {
  it("alternates between accounts, in order of arrival within each", async () => {
    const order = await orderOf(createScheduler(limits), [
      ["a", "interactive", "a1"],
      ["a", "interactive", "a2"],
      ["a", "interactive", "a3"],
      ["b", "interactive", "b1"],
      ["c", "interactive", "c1"],
      ["b", "interactive", "b2"],
    ]);
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("runs interactive renders before batch renders", async () => {
    const order = await orderOf(createScheduler(limits), [
      ["a", "batch", "batch1"],
      ["b", "batch", "batch2"],
      ["a", "interactive", "a1"],
      ["c", "interactive", "c1"],
    ]);
    expect(order).toEqual(["a1", "c1", "batch1", "batch2"]);
  });

  it("runs a batch render with raised priority before other batch renders; a running one is not affected", async () => {
    const scheduler = createScheduler(limits);
    const first = gate();
    const order: string[] = [];
    const raise = Promise.withResolvers<void>();
    const batch = { accountId: "a", priority: "batch" } as const;
    const running = scheduler.run({ ...batch, priorityRaised: Promise.resolve() }, first.job);
    const runs = [
      scheduler.run(batch, async () => order.push("one")),
      scheduler.run({ ...batch, priorityRaised: raise.promise }, async () => order.push("raised")),
      scheduler.run(batch, async () => order.push("two")),
    ];
    await Promise.resolve();
    expect(scheduler.load()).toMatchObject({ running: 1, waiting: 3, batch: { running: 1, waiting: 3 } });
    raise.resolve();
    await Promise.resolve();
    expect(scheduler.load()).toMatchObject({ running: 1, waiting: 3, batch: { running: 1, waiting: 2 } });
    first.open();
    await Promise.all([running, ...runs]);
    expect(order).toEqual(["raised", "one", "two"]);
    expect(scheduler.load()).toMatchObject({ running: 0, waiting: 0, batch: { running: 0, waiting: 0 } });
  });

  it("runs as many renders at a time as it has slots while no core is idle", async () => {
    const scheduler = createScheduler({ ...limits, slots: 3, concurrency: 4 });
    const { job, open } = gate();
    const runs = ["a", "b", "c", "d"].map((accountId) =>
      scheduler.run({ accountId, priority: "interactive" }, job),
    );
    expect(scheduler.load()).toMatchObject({ running: 3, waiting: 1 });
    open();
    await Promise.all(runs);
    expect(scheduler.load()).toMatchObject({ running: 0, waiting: 0 });
  });

  it("leaves a slot free for other accounts", async () => {
    const scheduler = createScheduler({ ...limits, slots: 3, concurrency: 3 });
    const gates = Array.from({ length: 5 }, gate);
    const heavy = gates.map(({ job }) => scheduler.run({ accountId: "a", priority: "interactive" }, job));
    expect(scheduler.load()).toMatchObject({ running: 2, waiting: 3 });
    const other = scheduler.run({ accountId: "b", priority: "batch" }, async () => "ran");
    await expect(other).resolves.toBe("ran");
    gates[0]?.open();
    await heavy[0];
    expect(scheduler.load()).toMatchObject({ running: 2, waiting: 2 });
    for (const { open } of gates) open();
    await Promise.all(heavy);
    expect(scheduler.load()).toMatchObject({ running: 0, waiting: 0 });
  });

  it("leaves a slot free for the interactive renders of an account with batch renders", async () => {
    const scheduler = createScheduler({ ...limits, slots: 4, concurrency: 4 });
    const { job, open } = gate();
    const runs = Array.from({ length: 4 }, () => scheduler.run({ accountId: "a", priority: "batch" }, job));
    expect(scheduler.load()).toMatchObject({ running: 2, batch: { running: 2, waiting: 2 } });
    runs.push(scheduler.run({ accountId: "a", priority: "interactive" }, job));
    expect(scheduler.load()).toMatchObject({ running: 3, batch: { running: 2, waiting: 2 } });
    open();
    await Promise.all(runs);
  });

  it("rejects immediately when the queue is full, and limits each account's renders in the queue", async () => {
    const scheduler = createScheduler({ ...limits, maxWaiting: 3, maxWaitingPerAccount: 2 });
    const first = gate();
    const runs = ["a", "a", "a", "b"].map((accountId) =>
      scheduler.run({ accountId, priority: "interactive" }, first.job),
    );
    await expect(scheduler.run({ accountId: "a", priority: "interactive" }, first.job)).rejects.toMatchObject(
      {
        code: "upstream_rate_limited",
        message: "The service is busy: this account already has 2 renders waiting. Retry shortly.",
        status: 503,
        retryAfterSeconds: 2,
      },
    );
    await expect(scheduler.run({ accountId: "c", priority: "batch" }, first.job)).rejects.toMatchObject({
      code: "upstream_rate_limited",
      message: "The service is busy: the queue is full. Retry shortly.",
    });
    first.open();
    await Promise.all(runs);
  });

  it.each([
    [undefined, 60_000],
    [10_000, 10_000],
    [90_000, 60_000],
  ])("with maxWaitMs=%s, limits the wait to %i ms", (maxWaitMs, limit) => {
    const delays: number[] = [];
    const clock: Clock = { now: () => 0, after: (delayMs) => (delays.push(delayMs), () => {}) };
    const scheduler = createScheduler({ ...limits, maxWaitMs: 60_000, clock });
    void scheduler.run({ accountId: "a", priority: "interactive", maxWaitMs }, gate().job);
    expect(delays).toEqual([limit]);
  });

  it("subtracts the time that a request has already waited", () => {
    const delays: number[] = [];
    const clock: Clock = { now: () => 100_000, after: (delayMs) => (delays.push(delayMs), () => {}) };
    const scheduler = createScheduler({ ...limits, maxWaitMs: 60_000, clock });
    for (const requestedAt of [100_000, 85_000, 1_000])
      void scheduler.run({ accountId: "a", priority: "interactive", requestedAt }, gate().job);
    expect(delays).toEqual([60_000, 45_000, 0]);
  });

  it("waits no longer than the limit if the clock was set back since the request", () => {
    const delays: number[] = [];
    const clock: Clock = { now: () => 100_000, after: (delayMs) => (delays.push(delayMs), () => {}) };
    const scheduler = createScheduler({ ...limits, maxWaitMs: 60_000, clock });
    const fromFuture = { accountId: "a", priority: "interactive", requestedAt: 3_700_000 } as const;
    void scheduler.run(fromFuture, gate().job);
    expect(delays).toEqual([60_000]);
  });

  it("rejects a render that gets no slot in time, and continues with the others", async () => {
    let wake = (): void => {};
    const clock: Clock = {
      now: () => 0,
      after(_delayMs, callback) {
        wake = callback;
        return () => {
          wake = () => {};
        };
      },
    };
    const events: EngineEvent[] = [];
    const scheduler = createScheduler({ ...limits, clock, onEvent: (event) => events.push(event) });
    const first = gate();
    const running = scheduler.run({ accountId: "a", priority: "interactive" }, first.job);
    const late = scheduler.run({ accountId: "a", priority: "interactive" }, async () => "ran");
    wake();
    await expect(late).rejects.toMatchObject({ code: "upstream_rate_limited" });
    expect(scheduler.load()).toMatchObject({ running: 1, waiting: 0 });
    first.open();
    await running;
    await expect(scheduler.run({ accountId: "a", priority: "batch" }, async () => "ran")).resolves.toBe(
      "ran",
    );
    expect(events).toEqual([
      { type: "slot-wait-ended", priority: "interactive", waitedMs: 0 },
      { type: "slot-wait-ended", priority: "interactive", waitedMs: 0 },
      { type: "slot-wait-ended", priority: "batch", waitedMs: 0 },
    ]);
  });

  it("reports how long each render waited for its slot, with its final priority", async () => {
    const clock = createFakeClock(0);
    const events: EngineEvent[] = [];
    const onEvent = (event: EngineEvent): void => void events.push(event);
    const scheduler = createScheduler({ ...limits, clock, onEvent });
    const [first, second] = [gate(), gate()];
    const raised = Promise.withResolvers<void>();
    const runs = [
      scheduler.run({ accountId: "a", priority: "interactive" }, first.job),
      scheduler.run({ accountId: "a", priority: "batch", priorityRaised: raised.promise }, second.job),
    ];
    clock.advance(700);
    raised.resolve();
    await raised.promise;
    first.open();
    second.open();
    await Promise.all(runs);
    expect(events).toEqual([
      { type: "slot-wait-ended", priority: "interactive", waitedMs: 0 },
      { type: "slot-wait-ended", priority: "interactive", waitedMs: 700 },
    ]);
  });
});

/** Unlike with `createFakeClock`, `advance` does not run timers that are added while it runs. */
function manualClock(): Clock & { readonly advance: (ms: number) => void } {
  let nowMs = 0;
  let timers: { atMs: number; wake: () => void }[] = [];
  return {
    now: () => nowMs,
    after(delayMs, wake) {
      const timer = { atMs: nowMs + delayMs, wake };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      nowMs += ms;
      const due = timers.filter(({ atMs }) => atMs <= nowMs);
      timers = timers.filter(({ atMs }) => atMs > nowMs);
      for (const { wake } of due) wake();
    },
  };
}

describe("renders beyond the slots", () => {
  const options = { ...limits, slots: 4, concurrency: 8, maxWaitMs: 60_000 };
  const interactive = (accountId: string) => ({ accountId, priority: "interactive" }) as const;

  it("are admitted while cores are idle, four per idle core", async () => {
    const clock = manualClock();
    const machine = Object.assign(createFakeMachine(), { idle: 0.5 });
    const scheduler = createScheduler({ ...options, clock, machine });
    const { job, open } = gate();
    const runs = Array.from({ length: 12 }, () => scheduler.run(interactive("a"), job));
    expect(scheduler.load()).toMatchObject({ running: 3, waiting: 9, slots: 4, concurrency: 8 });
    clock.advance(50);
    expect(scheduler.load()).toMatchObject({ running: 5, waiting: 7 });
    machine.idle = 0.1;
    clock.advance(50);
    expect(scheduler.load()).toMatchObject({ running: 5, waiting: 7 });
    machine.idle = 2;
    clock.advance(50);
    clock.advance(50);
    expect(scheduler.load()).toMatchObject({ running: 7, waiting: 5 }); // one slot is left free for other accounts
    await drain(scheduler, clock, { runs, open });
  });

  it("are limited to one for each 128 MiB of available memory beyond 512 MiB", async () => {
    const clock = manualClock();
    const machine = Object.assign(createFakeMachine(), { idle: 2, memoryBytes: 800 * 1024 * 1024 });
    const scheduler = createScheduler({ ...options, clock, machine });
    const { job, open } = gate();
    const runs = Array.from({ length: 8 }, () => scheduler.run(interactive("a"), job));
    clock.advance(50);
    expect(scheduler.load()).toMatchObject({ running: 5, waiting: 3 });
    await drain(scheduler, clock, { runs, open });
  });

  it("are not admitted while less than 512 MiB of memory is available", async () => {
    const clock = manualClock();
    const machine = Object.assign(createFakeMachine(), { idle: 2, memoryBytes: 400e6 });
    const scheduler = createScheduler({ ...options, clock, machine });
    const { job, open } = gate();
    const runs = Array.from({ length: 5 }, () => scheduler.run(interactive("a"), job));
    clock.advance(50);
    expect(scheduler.load()).toMatchObject({ running: 3, waiting: 2 });
    await drain(scheduler, clock, { runs, open });
  });

  it("leave a slot free for other accounts, even if the cores are busy", async () => {
    const clock = manualClock();
    const machine = Object.assign(createFakeMachine(), { idle: 2 });
    const scheduler = createScheduler({ ...options, clock, machine });
    const { job, open } = gate();
    const runs = Array.from({ length: 8 }, () => scheduler.run(interactive("a"), job));
    clock.advance(50);
    clock.advance(50);
    machine.idle = 0;
    expect(scheduler.load().running).toBe(7);
    runs.push(scheduler.run(interactive("b"), job));
    expect(scheduler.load().running).toBe(8);
    await drain(scheduler, clock, { runs, open });
  });

  it("leave other accounts their share of the slots", async () => {
    const clock = manualClock();
    const machine = Object.assign(createFakeMachine(), { idle: 8 });
    const scheduler = createScheduler({ ...options, concurrency: 12, clock, machine });
    const { job, open } = gate();
    const runs = Array.from({ length: 9 }, () => scheduler.run(interactive("a"), job));
    clock.advance(50);
    machine.idle = 0;
    expect(scheduler.load().running).toBe(9);
    runs.push(...Array.from({ length: 3 }, () => scheduler.run(interactive("b"), job)));
    expect(scheduler.load()).toMatchObject({ running: 11, waiting: 1 });
    await drain(scheduler, clock, { runs, open });
  });
});

describe("an account whose batch renders run beyond the slots", () => {
  it("gets a slot for an interactive render, even if the cores are busy", async () => {
    const clock = manualClock();
    const machine = Object.assign(createFakeMachine(), { idle: 2 });
    const scheduler = createScheduler({ ...limits, slots: 4, concurrency: 8, clock, machine });
    const { job, open } = gate();
    const runs = Array.from({ length: 6 }, () => scheduler.run({ accountId: "a", priority: "batch" }, job));
    clock.advance(50);
    clock.advance(50);
    machine.idle = 0;
    expect(scheduler.load()).toMatchObject({ running: 6, waiting: 0 });
    runs.push(scheduler.run({ accountId: "a", priority: "interactive" }, job));
    expect(scheduler.load()).toMatchObject({ running: 7, waiting: 0 });
    await drain(scheduler, clock, { runs, open });
  });
});

describe("an account in quarantine", () => {
  const quarantineOf = (...accountIds: string[]): Quarantine => {
    const quarantine = new Quarantine(createFakeClock(0));
    for (const accountId of accountIds) quarantine.add(accountId);
    return quarantine;
  };

  it("renders after all others, batches included", async () => {
    const order = await orderOf(createScheduler({ ...limits, quarantine: quarantineOf("a", "b") }), [
      ["a", "interactive", "a1"],
      ["b", "batch", "b1"],
      ["c", "batch", "c1"],
      ["a", "batch", "a2"],
      ["d", "interactive", "d1"],
      ["c", "batch", "c2"],
    ]);
    expect(order).toEqual(["d1", "c1", "c2", "a1", "b1", "a2"]);
  });

  it("renders one page at a time, even while slots are free", async () => {
    const scheduler = createScheduler({
      ...limits,
      slots: 4,
      concurrency: 4,
      quarantine: quarantineOf("a"),
    });
    const gates = Array.from({ length: 3 }, gate);
    const runs = gates.map(({ job }) => scheduler.run({ accountId: "a", priority: "interactive" }, job));
    expect(scheduler.load()).toMatchObject({
      running: 1,
      waiting: 2,
      quarantined: { accounts: 1, waiting: 2 },
    });
    gates[0]?.open();
    await runs[0];
    expect(scheduler.load()).toMatchObject({ running: 1, waiting: 1 });
    for (const { open } of gates) open();
    await Promise.all(runs);
  });

  it("shares a quarter of the slots with the others in quarantine", async () => {
    const scheduler = createScheduler({
      ...limits,
      slots: 8,
      concurrency: 8,
      quarantine: quarantineOf("a", "b", "c"),
    });
    const { job, open } = gate();
    const runs = ["a", "b", "c", "d", "e"].map((accountId) =>
      scheduler.run({ accountId, priority: "interactive" }, job),
    );
    expect(scheduler.load()).toMatchObject({ running: 4, waiting: 1, quarantined: { waiting: 1 } });
    open();
    await Promise.all(runs);
  });

  it("renders one page at a time until the quarantine ends, including renders that were already waiting", async () => {
    const clock = createFakeClock(0);
    const quarantine = new Quarantine(clock);
    const scheduler = createScheduler({ ...limits, slots: 4, concurrency: 4, quarantine });
    const gates = Array.from({ length: 6 }, gate);
    const runs = gates.map(({ job }) => scheduler.run({ accountId: "a", priority: "interactive" }, job));
    expect(scheduler.load()).toMatchObject({ running: 3, waiting: 3 });
    quarantine.add("a");
    for (const { open } of gates.slice(0, 2)) open();
    await Promise.all(runs.slice(0, 2));
    expect(scheduler.load()).toMatchObject({ running: 1, waiting: 3 });
    clock.advance(600_000);
    gates[2]?.open();
    await runs[2];
    expect(scheduler.load()).toMatchObject({ running: 3, waiting: 0 });
    for (const { open } of gates) open();
    await Promise.all(runs);
  });

  it("does not take up other accounts' places in the queue", async () => {
    const scheduler = createScheduler({ ...limits, maxWaiting: 2, quarantine: quarantineOf("a", "b") });
    const first = gate();
    const run = (accountId: string): Promise<void> =>
      scheduler.run({ accountId, priority: "interactive" }, first.job);
    const runs = ["first", "a", "b"].map(run);
    await expect(run("a")).rejects.toMatchObject({ code: "upstream_rate_limited" });
    runs.push(run("c"), run("d"));
    await expect(run("e")).rejects.toMatchObject({ code: "upstream_rate_limited" });
    first.open();
    await Promise.all(runs);
  });
});

describe("a render with a short maximum wait", () => {
  it("is not rejected if a slot is free, even if renders are slow", async () => {
    const clock = manualClock();
    const scheduler = createScheduler({ ...limits, clock, slots: 2, concurrency: 2, maxWaitMs: 3_600_000 });
    const gates = Array.from({ length: 30 }, gate);
    const runs = gates.map(({ job }) => scheduler.run({ accountId: "a", priority: "interactive" }, job));
    for (const [index, { open }] of gates.slice(0, 25).entries()) {
      clock.advance(45_000);
      open();
      await runs[index];
    }
    const other = { accountId: "b", priority: "interactive", maxWaitMs: 10_000 } as const;
    await expect(scheduler.run(other, async () => "ran")).resolves.toBe("ran");
    for (const { open } of gates.slice(25)) open();
    await Promise.all(runs);
  });

  it("is rejected immediately, based on the recent throughput, while another account's render is accepted", async () => {
    const clock = manualClock();
    const quarantine = new Quarantine(createFakeClock(0));
    quarantine.add("ended");
    const scheduler = createScheduler({ ...limits, quarantine, clock, maxWaitMs: 10_000 });
    const gates = Array.from({ length: 40 }, gate);
    const runs = gates.map(({ job }) => scheduler.run({ accountId: "a", priority: "interactive" }, job));
    for (const [index, { open }] of gates.slice(0, 25).entries()) {
      clock.advance(1_000 / 3);
      open();
      await runs[index];
    }
    await expect(
      scheduler.run({ accountId: "a", priority: "interactive", maxWaitMs: 4_000 }, async () => "ran"),
    ).rejects.toMatchObject({ code: "upstream_rate_limited", message: expect.stringContaining("in time") });
    // renders in quarantine do not count, because they run after all others
    for (let index = 0; index < 14; index += 1)
      runs.push(scheduler.run({ accountId: "ended", priority: "interactive" }, async () => {}));
    const other = scheduler.run(
      { accountId: "b", priority: "interactive", maxWaitMs: 4_000 },
      async () => "ran",
    );
    for (const { open } of gates.slice(25)) open();
    await expect(other).resolves.toBe("ran");
    await Promise.all(runs);
  });
});

/** Lets all renders finish, and waits for them. */
async function drain(
  scheduler: Scheduler,
  clock: { readonly advance: (ms: number) => void },
  { runs, open }: { readonly runs: readonly Promise<unknown>[]; readonly open: () => void },
): Promise<void> {
  open();
  clock.advance(50);
  await Promise.all(runs);
  expect(scheduler.load()).toMatchObject({ running: 0, waiting: 0 });
}

describe("an unlimited wait", () => {
  it("is limited to the longest delay of a timer", () => {
    const delays: number[] = [];
    const after = (ms: number): (() => void) => {
      delays.push(ms);
      return () => {};
    };
    expect(limitWait({ now: () => 0, after }, Infinity).signal.aborted).toBe(false);
    expect(delays).toEqual([2_147_483_647]);
  });
});
