import { describe, expect, it } from "vitest";
import { describeUsage, select } from "../src/bench.ts";
import { compare, inParallel, median, medianRatio, percentile } from "../src/measure.ts";

describe("a comparison", () => {
  it("lets each go first in every other pair, and leaves the first pair out", async () => {
    const order: string[] = [];
    const round = (name: string, timings: number[]) => () => {
      order.push(name);
      return Promise.resolve(timings.shift() ?? Number.NaN);
    };
    const comparison = await compare(round("ours", [900, 10, 20, 60]), round("theirs", [1, 20, 10, 20]), 3);
    expect(order.join(" ")).toBe("theirs ours ours theirs theirs ours ours theirs");
    expect(comparison).toEqual({ oursMs: 20, theirsMs: 20, timeRatio: 2 });
  });

  it("takes ratios pair by pair", () => {
    // The medians alone would say 20 / 10.
    expect(medianRatio([10, 20, 300], [10, 10, 100])).toBe(2);
    expect(medianRatio([1, 30, 20], [2, 10, 20])).toBe(1);
    expect(() => medianRatio([1, 2], [1])).toThrow("2 rounds against 1");
  });
});

it("does all of the work, at most so much at once", async () => {
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

describe("statistics", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[], Number.NaN],
  ])("the median of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("has percentiles by nearest rank", () => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect([0, 0.5, 0.95, 1].map((fraction) => percentile(values, fraction))).toEqual([1, 10, 19, 20]);
    expect(percentile([], 0.95)).toBeNaN();
  });
});

describe("the command line", () => {
  const ALL = [{ name: "ways" }, { name: "idle" }, { name: "soak", onlyFull: true as const }];

  it.each([
    [[], "ways idle soak"],
    [["--quick"], "ways idle"],
    [["--quick", "soak", "ways"], "ways soak"],
  ])("selects with %j %s", (args, names) => {
    expect(
      select(args, ALL)
        .scenarios.map(({ name }) => name)
        .join(" "),
    ).toBe(names);
  });

  it("explains itself, with the names of the scenarios", () => {
    const usage = describeUsage([{ name: "idle", title: "One render on an idle server" }]);
    expect(usage).toContain("pnpm bench [--quick] [--write] [NAME...]");
    expect(usage).toContain("idle          One render on an idle server");
  });

  it.each([
    [["sleep"], "Unknown scenario: sleep. Use ways, idle, soak."],
    [["--write", "idle"], "leave the names out"],
    [["--write", "--quick"], "leave --quick out"],
  ])("refuses %j", (args, message) => {
    expect(() => select(args, ALL)).toThrow(message);
  });
});
