import { describe, expect, it } from "vitest";
import { parseIfNoneMatch } from "../../src/http/entity-tags.ts";

describe("If-None-Match", () => {
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
    [undefined, false],
  ])('%s holds "a": %s', (header, held) => {
    expect(parseIfNoneMatch(header)('"a"')).toBe(held);
  });

  it("reads a header of 60,000 characters at once", () => {
    expect(parseIfNoneMatch('"'.repeat(60_000))('"a"')).toBe(false);
    expect(parseIfNoneMatch("W/".repeat(30_000))('"a"')).toBe(false);
  });
});
