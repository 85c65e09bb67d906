import type { Findings, Scenario } from "../scenario.ts";
import { figureTable } from "./figure.ts";
import { markdownTable, textTable, type Table } from "./table.ts";

export interface Machine {
  readonly date: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly node: string;
  readonly browser: string;
}

export interface Section {
  readonly scenario: Pick<Scenario, "name" | "title" | "about">;
  readonly findings: Findings;
}

export interface Report {
  readonly machine: Machine;
  readonly quick: boolean;
  readonly sections: readonly Section[];
  /** Names of scenarios that did not come to their end. */
  readonly failed: readonly string[];
}

const METHOD = `A figure without a unit is a ratio of two things measured side by side in one run, round by round, after a warm-up; the
order is reversed in every other round, and the median of the rounds' ratios is quoted. What slows the machine down then
slows both. A round of renders starts after a few that don't count, and its processor time is read when the process tree
has come to rest: tabs made ready before are used up by then, and closing the last page is counted. A separate process
serves the pages on the loopback. All ways of rendering use the same browser binary, each in a separate process tree;
processor time and memory are those of that tree, browser included, without the pages' server and without the client.
The share of processors in use is that tree's processor time until the last answer, over the wall time and all cores of
the machine. Memory counts shared pages once. Every render has a new URL, so no cache has it. Ours is the service as it
is shipped: token, limits, ledger, egress proxy, sandbox and cache write are on. No figure is a test that can fail.`;

/** docs/benchmarks.md; the notes are written by hand and come in whole. */
export function writeDocument({ machine, quick, sections, failed }: Report, notes: string): string {
  return [
    "# Benchmarks",
    "What `pnpm bench --write` measured, each figure beside its target; all of this page is made by it.",
    ...(quick ? ["**This was a short run (`--quick`): the figures are rough.**"] : []),
    ...(failed.length === 0 ? [] : [`**Did not come to their end: ${failed.join(", ")}.**`]),
    markdownTable(machineTable(machine)),
    "## Figures and targets",
    markdownTable(figureTable(figuresOf(sections))),
    "## How it is measured",
    METHOD,
    ...sections.flatMap(({ scenario, findings }) => [
      `## ${scenario.title}`,
      `${scenario.about} (\`pnpm bench ${scenario.name}\`)`,
      ...findings.tables.flatMap((table) => [
        ...(table.title === undefined ? [] : [`### ${table.title}`]),
        markdownTable(table),
      ]),
      ...(findings.remarks ?? []).map((remark) => `- ${remark}`),
    ]),
    notes.trim(),
  ]
    .join("\n\n")
    .concat("\n");
}

/** The same for a terminal, without what never changes. */
export function writeSummary({ machine, sections, failed }: Report): string {
  return [
    ...sections.flatMap(({ scenario, findings }) => [
      scenario.title.toUpperCase(),
      ...findings.tables.flatMap((table) => [
        ...(table.title === undefined ? [] : [table.title]),
        textTable(table),
      ]),
      ...(findings.remarks ?? []),
    ]),
    ...(failed.length === 0 ? [] : [`Failed: ${failed.join(", ")}`]),
    "FIGURES AND TARGETS",
    textTable(figureTable(figuresOf(sections))),
    `${machine.cores} x ${machine.processor}, Node ${machine.node}, ${machine.browser}`,
  ].join("\n\n");
}

function figuresOf(sections: readonly Section[]): Findings["figures"] {
  return sections.flatMap(({ findings }) => findings.figures);
}

function machineTable(machine: Machine): Table {
  return {
    columns: ["date", "processor", "cores", "memory", "Node", "browser"],
    rows: [
      [
        machine.date,
        machine.processor,
        String(machine.cores),
        `${machine.memoryGigabytes} GB`,
        machine.node,
        machine.browser,
      ],
    ],
  };
}
