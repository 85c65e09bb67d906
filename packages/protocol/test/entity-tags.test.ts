import { describe, expect, it } from "vitest";
import { parseIfNoneMatch } from "../src/entity-tags.ts";

describe("parseIfNoneMatch", () => {
  it.each([
    ['"a"', true],
    ['W/"a"', true],
    ['"b", "a"', true],
    ['"b",W/"a" , "c"', true],
    ["*", true],
    [" * ", true],
    ['"b"', false],
    ["a", false],
    ['"b, a"', false],
    ['w/"b"', false],
    ["", false],
    ['"a', false],
    [undefined, undefined],
  ])('%s matches "a": %s', (header, matches) => {
    expect(parseIfNoneMatch(header)?.('"a"')).toBe(matches);
  });

  it("parses a header of 60,000 characters without delay", () => {
    expect(parseIfNoneMatch('"'.repeat(60_000))?.('"a"')).toBe(false);
    expect(parseIfNoneMatch("W/".repeat(30_000))?.('"a"')).toBe(false);
  });
});
