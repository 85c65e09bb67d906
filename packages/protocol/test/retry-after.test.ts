import { expect, it } from "vitest";
import { parseRetryAfter } from "../src/index.ts";

const NOW = Date.parse("1994-11-06T08:49:00Z");

it.each([
  ["120", 120_000],
  ["0", 0],
  ["Sun, 06 Nov 1994 08:49:37 GMT", 37_000],
  ["Sunday, 06-Nov-94 08:49:37 GMT", 37_000],
  ["Sun Nov  6 08:49:37 1994", 37_000],
  ["Sun, 06 Nov 1994 08:48:00 GMT", 0],
  ["", null],
  ["Retry about 2030", null],
  ["Soon, maybe 5 GMT", null],
  ["-1", null],
  ["1.5", null],
  ["soon", null],
  ["1994-11-06T08:49:37Z", null],
  [null, null],
  [undefined, null],
])("parseRetryAfter(%j) returns %s", (text, delayMs) => {
  expect(parseRetryAfter(text, NOW)).toBe(delayMs);
});

it("parseRetryAfter() returns at most 1e15 milliseconds", () => {
  expect(parseRetryAfter("9".repeat(400), NOW)).toBe(1e15);
});
