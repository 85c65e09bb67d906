import { expect, it } from "vitest";
import { formatTable } from "../../src/cli/output.ts";

it("aligns the columns of a long table", () => {
  const rows = Array.from({ length: 200_000 }, (_, index) => [`row ${index}`, "a"]);
  const lines = formatTable([["ROW", "A"], ...rows]).split("\n");
  expect([lines.length, lines[0], lines[1], lines.at(-1)]).toEqual([
    200_001,
    "ROW         A",
    "row 0       a",
    "row 199999  a",
  ]);
});
