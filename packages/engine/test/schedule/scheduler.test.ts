import { describe, expect, it } from "vitest";
import { systemClock, type Clock } from "../../src/ports/clock.ts";
import { createScheduler, type Scheduler } from "../../src/schedule/scheduler.ts";

const bounds = {
  concurrency: 1,
  maxRunningPerAccount: 10,
  maxWaiting: 100,
  maxWaitingPerAccount: 50,
  maxWaitMs: 1000,
  clock: systemClock,
};

/** A job that ends when told to. */
function gate(): { job: () => Promise<void>; open: () => void } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { job: () => opened, open };
}

/** Queues one job per name behind a running one, and answers the order in which they ran. */
async function orderOf(
  scheduler: Scheduler,
  turns: readonly (readonly [string, "interactive" | "batch", string])[],
): Promise<string[]> {
  const order: string[] = [];
  const first = gate();
  const running = [scheduler.run({ accountId: "first", urgency: "interactive" }, first.job)];
  for (const [accountId, urgency, name] of turns) {
    running.push(
      scheduler.run({ accountId, urgency }, async () => {
        order.push(name);
      }),
    );
  }
  first.open();
  await Promise.all(running);
  return order;
}

describe("createScheduler", () => {
  it("lets accounts take turns, first come first served within one", async () => {
    const order = await orderOf(createScheduler(bounds), [
      ["a", "interactive", "a1"],
      ["a", "interactive", "a2"],
      ["a", "interactive", "a3"],
      ["b", "interactive", "b1"],
      ["c", "interactive", "c1"],
      ["b", "interactive", "b2"],
    ]);
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3"]);
  });

  it("renders interactive before batch", async () => {
    const order = await orderOf(createScheduler(bounds), [
      ["a", "batch", "batch1"],
      ["b", "batch", "batch2"],
      ["a", "interactive", "a1"],
      ["c", "interactive", "c1"],
    ]);
    expect(order).toEqual(["a1", "c1", "batch1", "batch2"]);
  });

  it("runs as many at once as told, and counts what runs and waits", async () => {
    const scheduler = createScheduler({ ...bounds, concurrency: 2 });
    const gates = [gate(), gate(), gate()];
    const runs = gates.map(({ job }) => scheduler.run({ accountId: "a", urgency: "interactive" }, job));
    expect(scheduler.load()).toEqual({ running: 2, waiting: 1 });
    for (const { open } of gates) open();
    await Promise.all(runs);
    await scheduler.idle();
    expect(scheduler.load()).toEqual({ running: 0, waiting: 0 });
  });

  it("keeps a slot from an account that fills all the others", async () => {
    const scheduler = createScheduler({ ...bounds, concurrency: 3, maxRunningPerAccount: 2 });
    const gates = Array.from({ length: 5 }, gate);
    const greedy = gates.map(({ job }) => scheduler.run({ accountId: "a", urgency: "interactive" }, job));
    expect(scheduler.load()).toEqual({ running: 2, waiting: 3 });
    const other = scheduler.run({ accountId: "b", urgency: "batch" }, async () => "ran");
    await expect(other).resolves.toBe("ran");
    gates[0]?.open();
    await greedy[0];
    expect(scheduler.load()).toEqual({ running: 2, waiting: 2 });
    for (const { open } of gates) open();
    await Promise.all(greedy);
    await scheduler.idle();
    expect(scheduler.load()).toEqual({ running: 0, waiting: 0 });
  });

  it("refuses at once when the queue is full, and keeps room for other accounts", async () => {
    const scheduler = createScheduler({ ...bounds, maxWaiting: 3, maxWaitingPerAccount: 2 });
    const first = gate();
    const runs = ["a", "a", "a", "b"].map((accountId) =>
      scheduler.run({ accountId, urgency: "interactive" }, first.job),
    );
    await expect(scheduler.run({ accountId: "a", urgency: "interactive" }, first.job)).rejects.toMatchObject({
      code: "upstream_rate_limited",
      status: 503,
      retryAfterSeconds: 2,
    });
    await expect(scheduler.run({ accountId: "c", urgency: "batch" }, first.job)).rejects.toMatchObject({
      code: "upstream_rate_limited",
    });
    first.open();
    await Promise.all(runs);
  });

  it.each([
    [undefined, 60_000],
    [10_000, 10_000],
    [90_000, 60_000],
  ])("a turn that would wait %s ms waits %i", (maxWaitMs, waited) => {
    const delays: number[] = [];
    const clock: Clock = { now: () => 0, after: (delayMs) => (delays.push(delayMs), () => {}) };
    const scheduler = createScheduler({ ...bounds, maxWaitMs: 60_000, clock });
    void scheduler.run({ accountId: "a", urgency: "interactive", maxWaitMs }, gate().job);
    expect(delays).toEqual([waited]);
  });

  it("refuses a turn that doesn't come in time, and goes on with the others", async () => {
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
    const scheduler = createScheduler({ ...bounds, clock });
    const first = gate();
    const running = scheduler.run({ accountId: "a", urgency: "interactive" }, first.job);
    const late = scheduler.run({ accountId: "a", urgency: "interactive" }, async () => "ran");
    wake();
    await expect(late).rejects.toMatchObject({ code: "upstream_rate_limited" });
    expect(scheduler.load()).toEqual({ running: 1, waiting: 0 });
    first.open();
    await running;
    await expect(scheduler.run({ accountId: "a", urgency: "batch" }, async () => "ran")).resolves.toBe("ran");
  });
});
