import type { Findings, Scenario, Table } from "./scenario.ts";

export interface Report {
  /** What it ran on, by the name of the column. */
  readonly machine: Readonly<Record<string, string>>;
  readonly sections: readonly {
    readonly scenario: Pick<Scenario, "name" | "title" | "about">;
    readonly findings: Findings;
  }[];
  /** Names of scenarios that did not come to their end. */
  readonly failed: readonly string[];
}

const METHOD = `A figure without a unit is a ratio of two things measured side by side in one run, round by round, after a warm-up; the
order is reversed in every other round, and the median of the rounds' ratios is quoted. What slows the machine down then
slows both. A round of renders starts after a few that don't count, and its processor time is read when the process tree
has come to rest: tabs made ready before are used up by then, and closing the last page is counted. A separate process
serves the pages on the loopback. All ways of rendering use the same browser binary, each in a separate process tree;
processor time and memory are those of that tree, browser included, without the pages' server and without the client.
The share of processors in use is that tree's processor time until the last response, over the wall time and all cores of
the machine. Memory counts shared pages once. Every render has a new URL, so no cache has it. Ours is the service as it
is shipped: token, limits, ledger, egress proxy, sandbox and cache write are on. No figure is a test that can fail.`;

/** docs/benchmarks.md; the notes are written by hand and come in whole. */
export function writeDocument(report: Report, notes: string): string {
  return [
    "# Benchmarks",
    "What `pnpm bench --write` measured, each figure beside its target; all of this page is made by it.",
    ...writeFigures(report),
    "## How it is measured",
    METHOD,
    ...writeSections(report),
    notes,
  ].join("\n\n");
}

/** The same without what never changes. */
export function writeSummary(report: Report): string {
  return [...writeSections(report), ...writeFigures(report)].join("\n\n");
}

function writeFigures({ machine, sections, failed }: Report): string[] {
  const figures = sections.flatMap(({ findings }) => findings.figures);
  const rows = figures.map(({ name, value: exact, target }) => {
    // The value as it is shown decides.
    const value = Number(rounded(exact));
    const isReached = "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
    return {
      figure: name,
      measured: rounded(exact),
      target: "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`,
      reached: Number.isNaN(exact) ? "not measured" : isReached ? "yes" : "**no**",
    };
  });
  return [
    ...(failed.length === 0 ? [] : [`**Did not come to their end: ${failed.join(", ")}.**`]),
    writeTable({ rows: [machine] }),
    "## Figures and targets",
    writeTable({ rows }),
  ];
}

function writeSections({ sections }: Report): string[] {
  return sections.flatMap(({ scenario: { name, title, about }, findings: { tables, remarks = [] } }) => [
    `## ${title}`,
    `${about} (\`pnpm bench ${name}\`)`,
    ...tables.map(writeTable),
    ...remarks.map((remark) => `- ${remark}`),
  ]);
}

function writeTable({ rows }: Table): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`;
  const columns = Object.keys(rows[0] ?? {});
  return [line(columns), line(columns.map(() => "---")), ...rows.map((row) => line(Object.values(row)))].join(
    "\n",
  );
}

/** Three significant digits; a dash for what could not be measured. */
export function rounded(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

export function megabytes(bytes: number): string {
  return rounded(bytes / 1e6);
}
