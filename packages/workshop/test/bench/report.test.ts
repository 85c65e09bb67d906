import { describe, expect, it } from "vitest";
import { writeDocument, writeSummary, type Report } from "../../src/bench/report/document.ts";
import { isReached } from "../../src/bench/report/figure.ts";
import { markdownTable, rounded, textTable } from "../../src/bench/report/table.ts";

describe("rounded", () => {
  it.each([
    [0.123_45, "0.123"],
    [12.345, "12.3"],
    [1234.5, "1235"],
    [99.96, "100"],
    [100, "100"],
    [0, "0"],
    [-0.5, "-0.5"],
    [Number.NaN, "-"],
    [Number.NEGATIVE_INFINITY, "-"],
  ])("writes %d as %s", (value, text) => {
    expect(rounded(value)).toBe(text);
  });
});

describe("isReached", () => {
  it.each([
    [1, { atLeast: 1 }, true],
    [0.99, { atLeast: 1 }, false],
    [1.2, { atMost: 1.2 }, true],
    [1.21, { atMost: 1.2 }, false],
    // What is shown decides: this is 1.2.
    [1.204, { atMost: 1.2 }, true],
    [Number.NaN, { atLeast: 1 }, false],
    [Number.NaN, { atMost: 1 }, false],
  ])("%d for %j: %s", (value, target, expected) => {
    expect(isReached({ name: "", value, target })).toBe(expected);
  });
});

describe("tables", () => {
  const table = {
    columns: ["way", "ms"],
    rows: [
      ["a|b", "10"],
      ["longer", "**9**"],
    ],
  };

  it("are written in Markdown", () => {
    expect(markdownTable(table)).toBe("| way | ms |\n| --- | --- |\n| a\\|b | 10 |\n| longer | **9** |");
  });

  it("are aligned for a terminal", () => {
    expect(textTable(table)).toBe("way     ms\n------  --\na|b     10\nlonger  9");
  });
});

const REPORT: Report = {
  machine: {
    date: "2026-01-02",
    processor: "Some CPU",
    cores: 2,
    memoryGigabytes: 8,
    node: "v24.0.0",
    browser: "Chromium 156",
  },
  quick: false,
  failed: [],
  sections: [
    {
      scenario: { name: "idle", title: "Idle", about: "One at a time." },
      findings: {
        figures: [
          { name: "latency over raw", value: 0.7, target: { atMost: 0.75 } },
          { name: "answers over bare", value: 0.5, target: { atLeast: 0.6 } },
          { name: "what did not run", value: Number.NaN, target: { atLeast: 1 } },
        ],
        tables: [{ columns: ["way", "ms"], rows: [["raw", "100"]] }],
        remarks: ["Did not run: cluster: no such file"],
      },
    },
  ],
};

describe("writeDocument", () => {
  const text = writeDocument(REPORT, "## Notes\n\nBy hand.\n");

  it.each([
    "| 2026-01-02 | Some CPU | 2 | 8 GB | v24.0.0 | Chromium 156 |",
    "| latency over raw | 0.7 | <= 0.75 | yes |",
    "| answers over bare | 0.5 | >= 0.6 | **no** |",
    "| what did not run | - | >= 1 | not measured |",
    "## Idle\n\nOne at a time. (`pnpm bench idle`)\n\n| way | ms |",
    "- Did not run: cluster: no such file",
  ])("says %j", (part) => {
    expect(text).toContain(part);
  });

  it("ends with the notes", () => {
    expect(text.endsWith("\n\n## Notes\n\nBy hand.\n")).toBe(true);
  });

  it("says of a short run that it was one", () => {
    expect(text).not.toContain("--quick");
    expect(writeDocument({ ...REPORT, quick: true }, "")).toContain("**This was a short run (`--quick`)");
  });
});

it("prints the same for a terminal", () => {
  expect(writeSummary(REPORT)).toContain("answers over bare  0.5       >= 0.6   no");
  expect(writeSummary({ ...REPORT, failed: ["soak"] })).toContain("Failed: soak");
});
