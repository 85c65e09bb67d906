import { findBrowser } from "@snap/workshop/machine/find-browser";
import { run } from "@snap/workshop/machine/run";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { killTree, startProgram } from "./processes.ts";
import { formatPage, formatSummary, type Report } from "./report.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";

const PAGE = join(import.meta.dirname, "../../../docs/benchmarks.md");

/** Runs the selected scenarios and prints a report. Returns false if a scenario failed. */
export async function bench(args: readonly string[]): Promise<boolean> {
  if (args.includes("--help")) {
    console.log(describeUsage(SCENARIOS));
    return true;
  }
  const { write, ...selection } = select(args, SCENARIOS);
  const report = await runScenarios(selection);
  console.log(`\n${await formatMarkdown(formatSummary(report))}`);
  if (write) {
    const notes = await readFile(join(import.meta.dirname, "notes.md"), "utf8");
    await writeFile(PAGE, await formatMarkdown(formatPage(report, notes)));
  }
  return report.failed.length === 0;
}

export function describeUsage(scenarios: readonly Pick<Scenario, "name" | "title">[]): string {
  return [
    "Usage: pnpm bench [--quick] [--write] [NAME...]",
    "",
    "  --quick  rough figures, in two or three minutes",
    "  --write  all scenarios, in about an hour, written to docs/benchmarks.md",
    "",
    "Scenarios (default: all; --quick leaves out the slow ones):",
    ...scenarios.map(({ name, title }) => `  ${name.padEnd(14)}${title}`),
    "",
    "Environment variable:",
    "  ATTACKS       parts of names, separated by commas: neighbors runs only the attacks whose names contain one",
  ].join("\n");
}

/** Aligns the tables. */
function formatMarkdown(markdown: string): Promise<string> {
  return format(markdown, { parser: "markdown", printWidth: 110 });
}

interface Selection<T> {
  readonly quick: boolean;
  readonly write: boolean;
  /** In the order of `SCENARIOS`. */
  readonly scenarios: readonly T[];
}

/** @throws Error with advice if the arguments are invalid. */
export function select<T extends { readonly name: string; readonly fullRunOnly?: true }>(
  args: readonly string[],
  all: readonly T[],
): Selection<T> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { quick: { type: "boolean", default: false }, write: { type: "boolean", default: false } },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => all.every((scenario) => scenario.name !== name));
  if (unknown !== undefined)
    throw new Error(`Unknown scenario: ${unknown}. Use ${all.map(({ name }) => name).join(", ")}.`);
  // The page must not mix figures from different runs: they were not measured side by side.
  if (values.write && positionals.length > 0)
    throw new Error("--write runs all scenarios; remove the names.");
  if (values.write && process.env["ATTACKS"]) throw new Error("--write runs all attacks; unset ATTACKS.");
  if (values.write && values.quick) throw new Error("--write needs a full run; remove --quick.");
  const scenarios = all.filter(({ name, fullRunOnly }) =>
    positionals.length === 0 ? !(values.quick && fullRunOnly) : positionals.includes(name),
  );
  return { ...values, scenarios };
}

/** Runs the scenarios sequentially, and prints progress. */
export async function runScenarios({
  quick,
  scenarios,
}: Omit<Selection<Scenario>, "write">): Promise<Report> {
  if (process.platform !== "linux")
    throw new Error("The benchmark needs Linux: it reads CPU time and memory from /proc.");
  const browserPath = await findBrowser();
  if (browserPath === null) throw new Error("No browser found; set SNAP_CHROMIUM_PATH.");
  const site = await startProgram(join(import.meta.dirname, "site/serve-site.ts"));
  const allowedTargets = `127.0.0.1:${site.line}`;
  const siteOrigin = `http://${allowedTargets}`;
  const startedMs = performance.now();
  const sections: Report["sections"][number][] = [];
  const failed: string[] = [];
  for (const scenario of scenarios) {
    const log = (line: string): void => {
      const seconds = String(Math.round((performance.now() - startedMs) / 1000));
      console.log(`${seconds.padStart(5)} s  ${scenario.name}: ${line}`);
    };
    log(scenario.title);
    const scratch = await mkdtemp(join(tmpdir(), "snap-bench-"));
    try {
      const findings = await scenario.run({ quick, browserPath, siteOrigin, allowedTargets, scratch, log });
      sections.push({ scenario, findings });
    } catch (error) {
      // The remaining scenarios still run, so kill the processes that this one left behind.
      killTree(process.pid, site.pid);
      log(`failed: ${error instanceof Error ? error.stack : String(error)}`);
      failed.push(scenario.name);
    }
    // Just-killed processes may still be writing to it; a failed removal must not end the run.
    await rm(scratch, { recursive: true, force: true, maxRetries: 10 }).catch((error: unknown) =>
      log(`${scratch} could not be removed: ${String(error)}`),
    );
    log("done");
  }
  await site.stop();
  return { machine: await describeMachine(browserPath), sections, failed };
}

async function describeMachine(browserPath: string): Promise<Report["machine"]> {
  const { output } = await run(browserPath, ["--version", "--no-sandbox"]);
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: cpus()[0]?.model ?? "unknown",
    cores: String(cpus().length),
    memory: `${Math.round(totalmem() / 1e9)} GB`,
    Node: process.version,
    browser: output.split("\n").at(-1) ?? "unknown",
  };
}
