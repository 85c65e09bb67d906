import { expect, it } from "vitest";
import { compare, inParallel } from "../../src/bench/compare.ts";

it("lets each go first in every other pair, and leaves the first pair out", async () => {
  const order: string[] = [];
  const ours = [900, 10, 20, 60];
  const theirs = [1, 20, 10, 20];
  const round = (name: string, timings: number[]) => () => {
    order.push(name);
    return Promise.resolve(timings.shift() ?? Number.NaN);
  };

  const comparison = await compare(round("ours", ours), round("theirs", theirs), 3);

  expect(order.join(" ")).toBe("theirs ours ours theirs theirs ours ours theirs");
  expect(comparison).toEqual({ oursMs: 20, theirsMs: 20, timeRatio: 2 });
});

it("does all of the work, never more at once than it may", async () => {
  const done: number[] = [];
  let running = 0;
  let most = 0;
  await inParallel(7, 3, async (index) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise(setImmediate);
    running -= 1;
    done.push(index);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(most).toBe(3);
});
