import { describe, expect, it } from "vitest";
import { matchesOutput } from "./match-output.ts";

const ROWS: readonly (readonly [expected: string, printed: string, matches: boolean])[] = [
  ["done", "done\n", true],
  ["done", "\ndone  \n\n", true],
  ["done", "done\nand more\n", false],
  ["done", "Done\n", false],
  ["done", "", false],
  ["", "anything\n", false],
  ["token  2|…", "token  2|s3cret\n", true],
  ["token  2|…", "token  3|s3cret\n", false],
  ["a … c", "a b\nc\n", false],
  ["a … c … e", "a b c d e\n", true],
  ["…\nlast", "first\nsecond\nlast\n", true],
  ["…\nlast", "last\n", true],
  ["first\n…", "first\n", true],
  ["first\n…\nlast", "first\nlast\n", true],
  ["first\n…\nlast", "first\nsecond\n", false],
  ["first\n\nlast", "first\n\nlast\n", true],
  ["first\nlast", "first\n\nlast\n", false],
  ["a.c (1) [x] $5 a|b", "a.c (1) [x] $5 a|b\n", true],
  ["a.c", "abc\n", false],
];

describe("matchesOutput", () => {
  it.each(ROWS)("given the expected %j and the printed %j, returns %s", (expected, printed, matches) => {
    expect(matchesOutput(expected, printed)).toBe(matches);
  });
});
