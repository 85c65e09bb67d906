import { describe, expect, it } from "vitest";
import { median, medianRatio, percentile } from "../../src/bench/statistics.ts";

describe("statistics", () => {
  it.each([
    [[3, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
    [[7], 7],
    [[], Number.NaN],
  ])("the median of %j is %d", (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it.each([
    [0.95, 19],
    [0.5, 10],
    [1, 20],
    [0, 1],
  ])("the percentile at %d of 1 to 20 is %d", (fraction, expected) => {
    const values = Array.from({ length: 20 }, (_, index) => 20 - index);
    expect(percentile(values, fraction)).toBe(expected);
  });

  it("has no percentile of nothing", () => {
    expect(percentile([], 0.95)).toBeNaN();
  });

  it("takes ratios pair by pair", () => {
    // The medians alone would say 20 / 10.
    expect(medianRatio([10, 20, 300], [10, 10, 100])).toBe(2);
    expect(medianRatio([1, 20, 30], [2, 10, 10])).toBe(2);
    expect(medianRatio([1, 30, 20], [2, 10, 20])).toBe(1);
  });

  it("refuses rounds that have no counterpart", () => {
    expect(() => medianRatio([1, 2], [1])).toThrow("2 rounds against 1");
  });
});
