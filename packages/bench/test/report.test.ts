import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { formatPage, formatSummary, formatNumber, type Report } from "../src/report.ts";
import { atLeast, atMost } from "../src/scenario.ts";

it.each([
  [0.123_45, "0.123"],
  [12.345, "12.3"],
  [1234.5, "1235"],
  [99.96, "100"],
  [0, "0"],
  [-0.5, "-0.5"],
  [Number.NaN, "-"],
  [Number.NEGATIVE_INFINITY, "-"],
])("formats %d as %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});

const REPORT: Report = {
  machine: { processor: "Some CPU", cores: "2" },
  failed: [],
  sections: [
    {
      scenario: { name: "idle", title: "Idle", about: "One at a time." },
      findings: {
        figures: [
          // Rounded to 1.2, so the target is met.
          atMost(1.2, "latency relative to raw", 1.204),
          atLeast(0.6, "responses relative to bare", 0.5),
          atLeast(1, "not run", Number.NaN),
          atMost(10, "the longest of an empty list", Math.max()),
        ],
        tables: [[{ way: "raw | pipe", ms: "100" }]],
        remarks: ["A remark."],
      },
    },
  ],
};

it.each([
  "| processor | cores |\n| --- | --- |\n| Some CPU | 2 |",
  "| latency relative to raw | 1.2 | <= 1.2 | yes |",
  "| responses relative to bare | 0.5 | >= 0.6 | **no** |",
  "| not run | - | >= 1 | not measured |",
  "| the longest of an empty list | - | <= 10 | not measured |",
  "## Idle\n\nOne at a time. (`pnpm bench idle`)\n\n| way | ms |\n| --- | --- |\n| raw \\| pipe | 100 |",
  "- A remark.\n\n## Notes\n\nBy hand.\n",
])("the page contains %j", (part) => {
  expect(formatPage(REPORT, "## Notes\n\nBy hand.\n")).toContain(part);
});

it("the published page ends with notes.md, so the next `pnpm bench --write` loses no notes edited in the page", async () => {
  const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), "utf8");
  const page = await read("../../../docs/benchmarks.md");
  expect(page.slice(page.indexOf("## Notes\n"))).toBe(await read("../src/notes.md"));
});

it("the summary contains the results and the failed scenarios", () => {
  const summary = formatSummary({ ...REPORT, failed: ["soak"] });
  expect(summary).toContain("| raw \\| pipe | 100 |");
  expect(summary).toContain("| responses relative to bare | 0.5 | >= 0.6 | **no** |");
  expect(summary).toContain("**Failed: soak.**");
  expect(summary).not.toContain("How it is measured");
});
