import { describe, expect, it, onTestFinished, vi } from "vitest";
import { describeUsage, select } from "../src/bench.ts";
import { compare, runInParallel, median, medianRatio, runOnSchedule, percentile } from "../src/measure.ts";

describe("compare", () => {
  it("alternates the order from pair to pair, and excludes the first pair", async () => {
    const order: string[] = [];
    const round = (name: string, timings: number[]) => () => {
      order.push(name);
      return Promise.resolve(timings.shift() ?? Number.NaN);
    };
    const comparison = await compare(
      round("measured", [900, 10, 20, 60]),
      round("baseline", [1, 20, 10, 20]),
      3,
    );
    expect(order.join(" ")).toBe("baseline measured measured baseline baseline measured measured baseline");
    expect(comparison).toEqual({ measuredMs: 20, baselineMs: 20, timeRatio: 2 });
  });

  it("computes ratios pair by pair", () => {
    expect(medianRatio([10, 20, 300], [10, 10, 100])).toBe(2);
    // The ratio of the medians would be 20 / 10.
    expect(medianRatio([1, 30, 20], [2, 10, 20])).toBe(1);
    expect(() => medianRatio([1, 2], [1])).toThrow("Cannot pair 2 rounds with 1");
  });
});

it("runs every call, with limited concurrency", async () => {
  const done: number[] = [];
  let running = 0;
  let maxRunning = 0;
  await runInParallel(7, 3, async (index) => {
    running += 1;
    maxRunning = Math.max(maxRunning, running);
    await new Promise(setImmediate);
    running -= 1;
    done.push(index);
  });
  expect(done.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  expect(maxRunning).toBe(3);
});

it("sends on schedule even if no earlier request has finished", async () => {
  const sent: number[] = [];
  await runOnSchedule({ perSecond: 1000, seconds: 0.005 }, (index) => {
    sent.push(index);
    return new Promise(() => {});
  });
  expect(sent).toEqual([0, 1, 2, 3, 4]);
});

describe("median() and percentile()", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[], Number.NaN],
  ])("the median of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it("percentiles use the nearest rank", () => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect([0, 0.5, 0.95, 1].map((fraction) => percentile(values, fraction))).toEqual([1, 10, 19, 20]);
    expect(percentile([], 0.95)).toBeNaN();
  });
});

describe("the command line", () => {
  const ALL = [{ name: "ways" }, { name: "idle" }, { name: "soak", fullRunOnly: true as const }];

  it.each([
    [[], "ways idle soak"],
    [["--quick"], "ways idle"],
    [["--quick", "soak", "ways"], "ways soak"],
  ])("with %j selects %s", (args, names) => {
    expect(
      select(args, ALL)
        .scenarios.map(({ name }) => name)
        .join(" "),
    ).toBe(names);
  });

  it("describes its usage, the scenarios and the environment variable", () => {
    const usage = describeUsage([{ name: "idle", title: "One render on an idle server" }]);
    expect(usage).toContain("pnpm bench [--quick] [--write] [NAME...]");
    expect(usage).toContain("idle          One render on an idle server");
    expect(usage).toContain("ATTACKS       parts of names, separated by commas");
  });

  it.each([
    [["sleep"], "Unknown scenario: sleep. Use ways, idle, soak."],
    [["--write", "idle"], "--write runs all scenarios; remove the names."],
    [["--write", "--quick"], "--write needs a full run; remove --quick."],
  ])("rejects %j", (args, message) => {
    expect(() => select(args, ALL)).toThrow(message);
  });

  it("rejects --write if ATTACKS is set", () => {
    vi.stubEnv("ATTACKS", "titles");
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(() => select(["--write"], ALL)).toThrow("--write runs all attacks; unset ATTACKS.");
  });
});
