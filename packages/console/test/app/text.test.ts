import { describe, expect, it } from "vitest";
import {
  truncateMiddle,
  formatBytes,
  formatCount,
  formatDuration,
  formatNoun,
  formatShare,
  formatTime,
} from "../../src/app/format.ts";
import { stack } from "../../src/app/chart/chart-data.ts";
import { resolveTimeRange, todayUtc } from "../../src/app/requests/time-range.ts";
import { parseRoute, readSignInCode, toHash } from "../../src/app/routing/route.ts";
import { tokenProblem } from "../../src/app/session/stored-tokens.ts";
import { findPeak } from "../../src/app/usage/find-peak.ts";
import { daysOf, isValidRange, lastDays } from "../../src/app/usage/range.ts";
import { createUsage } from "../stub/data.ts";

it("the filters for today start at midnight in UTC", () => {
  const now = new Date("2026-03-01T23:59:00Z");
  expect(resolveTimeRange({ ...todayUtc(now), to: "" }, now)).toEqual({
    since: "2026-03-01T00:00:00.000Z",
    until: undefined,
  });
});

it.each([
  ["7|secret", true],
  [" 7|secret ", true],
  ["", true],
  ["7|sécret", false],
  ["7|ключ", false],
  ["7|sec ret", false],
])("%j is accepted as a token: %s", (text, isToken) => {
  expect(tokenProblem(text) === undefined).toBe(isToken);
});

describe("formatting", () => {
  it.each([
    [formatCount(1_234_567), "1,234,567"],
    [formatShare(1, 3), "33.3%"],
    [formatShare(0, 0), "–"],
    [formatBytes(0), "0 bytes"],
    [formatBytes(1023), "1,023 bytes"],
    [formatBytes(1024), "1 KB"],
    [formatBytes(41_234_567_890), "38.4 GB"],
    [formatDuration(0.4), "0 ms"],
    [formatDuration(999.6), "1 s"],
    [formatDuration(1234), "1.23 s"],
    [formatDuration(125_000), "2 min 5 s"],
    [formatNoun(1, "batch", "batches"), "1 batch"],
    [formatNoun(2000, "batch", "batches"), "2,000 batches"],
  ])("returns %s", (text, expected) => {
    expect(text).toBe(expected);
  });

  it("includes the date of a time unless it is today", () => {
    const now = new Date(2026, 10, 25, 14, 3, 11);
    expect(formatTime(now, now)).toBe("14:03:11");
    expect(formatTime(new Date(2026, 2, 1, 9, 5), now)).toBe("1 Mar, 09:05");
    expect(formatTime(new Date(2025, 2, 1, 9, 5), now)).toBe("1 Mar 2025, 09:05");
  });
});

describe("long text", () => {
  it("is truncated in the middle to the given length", () => {
    expect(truncateMiddle("https://example.com/a/long/path?page=7", 20)).toBe("https://ex…th?page=7");
    expect(truncateMiddle("short", 5)).toBe("short");
  });

  it("is not truncated within a character", () => {
    expect(truncateMiddle("😀".repeat(5), 4)).toBe("😀😀…😀");
  });
});

describe("a route", () => {
  it("can be parsed after formatting", () => {
    const hash = toHash(["requests", "a/b?c"], { host: "é&=", code: "", token: undefined });
    expect(hash).toBe("#/requests/a%2Fb%3Fc?host=%C3%A9%26%3D");
    expect(parseRoute(hash)).toEqual({
      path: ["requests", "a/b?c"],
      query: new URLSearchParams({ host: "é&=" }),
    });
  });

  it("that cannot be decoded is returned as is", () => {
    expect(parseRoute("#/%zz")).toEqual({ path: ["%zz"], query: new URLSearchParams() });
    expect(parseRoute("")).toEqual({ path: [], query: new URLSearchParams() });
  });

  it.each([
    ["#sign-in=abc", "abc"],
    ["#sign-in=a%2Bb", "a+b"],
    ["#sign-in=", null],
    ["#/sign-in=abc", null],
    ["#sign-in=abc&x=1", null],
  ])("%s has the sign-in code %s", (hash, code) => {
    expect(readSignInCode(hash)).toBe(code);
  });
});

describe("a range of days", () => {
  it("from lastDays ends today", () => {
    expect(lastDays(7, new Date("2026-03-03T23:59:59Z"))).toEqual({ from: "2026-02-25", to: "2026-03-03" });
    expect(lastDays(1, new Date("2026-03-03T00:00:00Z"))).toEqual({ from: "2026-03-03", to: "2026-03-03" });
  });

  it("lists each day, or the last 400", () => {
    expect(daysOf({ from: "2028-02-28", to: "2028-03-01" })).toEqual([
      "2028-02-28",
      "2028-02-29",
      "2028-03-01",
    ]);
    expect(daysOf({ from: "2000-01-01", to: "2026-01-01" })).toHaveLength(400);
    expect(daysOf({ from: "2000-01-01", to: "2026-01-01" }).at(-1)).toBe("2026-01-01");
  });

  it.each([
    [{ from: "2026-01-01", to: "2026-01-01" }, true],
    [{ from: "2026-01-02", to: "2026-01-01" }, false],
    [{ from: "yesterday", to: "2026-01-01" }, false],
  ])("%o is valid: %s", (range, valid) => {
    expect(isValidRange(range)).toBe(valid);
  });
});

it("a peak is the first day with the largest figure above zero", () => {
  const [usage] = createUsage("day", "2026-10-01", "2026-10-01");
  const days = [0, 5, 7, 7].map((renders, index) => ({
    day: `2026-10-0${index}`,
    usage: { ...usage!, renders },
  }));
  expect(findPeak(days, ({ renders }) => renders)).toEqual({ day: "2026-10-02", figure: 7 });
  expect(findPeak([{ day: "2026-10-04", usage: undefined }, days[0]!], ({ renders }) => renders)).toBe(null);
});

it("a time range is relative to now, unlimited, or custom without invalid bounds", () => {
  const now = new Date("2026-11-25T12:00:00Z");
  expect(resolveTimeRange({ range: "15m", from: "", to: "" }, now)).toEqual({
    since: "2026-11-25T11:45:00.000Z",
  });
  expect(resolveTimeRange({ range: "", from: "2026-01-01T00:00", to: "" }, now)).toEqual({});
  expect(resolveTimeRange({ range: "custom", from: "", to: "nonsense" }, now)).toEqual({
    since: undefined,
    until: undefined,
  });
});

it("stacked series become cumulative, the top of the stack first", () => {
  expect(
    stack([
      [1, 2],
      [10, null],
      [100, 0],
    ]),
  ).toEqual([
    [111, 2],
    [11, 2],
    [1, 2],
  ]);
});
