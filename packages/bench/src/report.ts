import { table } from "@snap/workshop/docs/reference/page";
import type { Findings, Row, Scenario } from "./scenario.ts";

export interface Report {
  /** Properties of the machine, by column name. */
  readonly machine: Readonly<Record<string, string>>;
  readonly sections: readonly {
    readonly scenario: Pick<Scenario, "name" | "title" | "about">;
    readonly findings: Findings;
  }[];
  /** Names of the scenarios that failed. */
  readonly failed: readonly string[];
}

const METHOD = `A figure without a unit is a ratio. Unless its section says otherwise, each run measures both sides in rounds, after a
warm-up, and reverses their order in every other round, so whatever slows the machine down slows both; the figure is the
median of the rounds' ratios.

Where ways of rendering are compared, a few unmeasured renders precede each round, to use up prepared tabs. CPU time is read
when the process tree is idle again, so it includes closing the last page. For a way that responds before it closes the page,
it also includes closing the pages of the unmeasured renders.

All ways of rendering use the same browser binary, each in a separate process tree. CPU time and memory are that
tree's, including the browser, but excluding the client and the page server, which is a separate process on the loopback
interface. CPU utilization is the tree's CPU time until the last response, divided by the product of the wall time and the
number of cores. Memory counts shared pages once.

Every render has a new URL, so none is a cache hit. The service runs with its default settings: authentication, limits,
the ledger, the egress proxy, the sandbox and cache writes are on. A missed target does not fail any test.`;

/** Returns the content of docs/benchmarks.md; the notes are written by hand and inserted unchanged. */
export function formatPage(report: Report, notes: string): string {
  return [
    "# Benchmarks",
    "Results of `pnpm bench --write`, which generates this page from its measurements and `packages/bench/src/notes.md`. Each figure has a target.",
    ...formatFigures(report),
    "## How it is measured",
    METHOD,
    ...formatSections(report),
    notes,
  ].join("\n\n");
}

/** Returns the measured parts of the page. */
export function formatSummary(report: Report): string {
  return [...formatSections(report), ...formatFigures(report)].join("\n\n");
}

function formatFigures({ machine, sections, failed }: Report): string[] {
  const figures = sections.flatMap(({ findings }) => findings.figures);
  const rows = figures.map(({ name, value: exact, target }) => {
    // Compares the rounded value, which the table shows.
    const value = Number(formatNumber(exact));
    const isMet = "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
    return {
      figure: name,
      measured: formatNumber(exact),
      target: "atLeast" in target ? `>= ${target.atLeast}` : `<= ${target.atMost}`,
      met: Number.isFinite(exact) ? (isMet ? "yes" : "**no**") : "not measured",
    };
  });
  return [
    ...(failed.length === 0 ? [] : [`**Failed: ${failed.join(", ")}.**`]),
    formatTable([machine]),
    ...(rows.length === 0 ? [] : ["## Figures and targets", formatTable(rows)]),
  ];
}

function formatSections({ sections }: Report): string[] {
  return sections.flatMap(({ scenario: { name, title, about }, findings: { tables, remarks = [] } }) => [
    `## ${title}`,
    `${about} (\`pnpm bench ${name}\`)`,
    ...tables.map(formatTable),
    ...remarks.map((remark) => `- ${remark}`),
  ]);
}

function formatTable(rows: readonly Row[]): string {
  return table(Object.keys(rows[0] ?? {}), rows.map(Object.values<string>));
}

/** Formats a number with three significant digits, or as an integer from 100; else a dash. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return "-";
  return String(Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3)));
}

export function formatMegabytes(bytes: number): string {
  return formatNumber(bytes / 1e6);
}
