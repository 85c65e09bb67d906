import { mkdtemp, rm } from "node:fs/promises";
import { availableParallelism, cpus, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { findBrowser } from "../machine/find-browser.ts";
import { run } from "../machine/run.ts";
import type { Report, Section } from "./report/document.ts";
import type { Bench, Scenario } from "./scenario.ts";
import type { Selection } from "./selection.ts";
import { endProcess, readTree } from "./process-tree.ts";
import { startProgram } from "./start-program.ts";

/** Runs them one after the other, with lines of progress. */
export async function runScenarios({
  quick,
  scenarios,
}: Omit<Selection<Scenario>, "write">): Promise<Report> {
  const browserPath = await findBrowser();
  if (browserPath === null) throw new Error("There is no browser to measure with.");
  const site = await startProgram(join(import.meta.dirname, "programs/serve-site.ts"));
  const allowedTargets = `127.0.0.1:${site.line}`;
  const siteOrigin = `http://${allowedTargets}`;
  const startedMs = performance.now();
  const sections: Section[] = [];
  const failed: string[] = [];
  try {
    for (const scenario of scenarios) {
      const scenarioStartedMs = performance.now();
      const say = (line: string): void => {
        console.log(`${String(secondsSince(startedMs)).padStart(5)} s  ${scenario.name}: ${line}`);
      };
      say(scenario.title);
      const scratch = await mkdtemp(join(tmpdir(), "snap-bench-"));
      const bench: Bench = {
        quick,
        cores: availableParallelism(),
        browserPath,
        siteOrigin,
        allowedTargets,
        scratch,
        say,
      };
      try {
        sections.push({ scenario, findings: await scenario.run(bench) });
      } catch (error) {
        // The others go on, beside nothing that this one has left running.
        endChildren(site.pid);
        const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        say(`failed: ${reason}`);
        failed.push(scenario.name);
      } finally {
        await rm(scratch, { recursive: true, force: true });
      }
      say(`took ${secondsSince(scenarioStartedMs)} s`);
    }
  } finally {
    await site.stop();
  }
  console.log(`All of it took ${secondsSince(startedMs)} s.`);
  return { machine: await describeMachine(browserPath), quick, sections, failed };
}

function secondsSince(startedMs: number): number {
  return Math.round((performance.now() - startedMs) / 1000);
}

function endChildren(exceptPid: number): void {
  for (const { pid } of readTree(process.pid)) if (pid !== process.pid && pid !== exceptPid) endProcess(pid);
}

async function describeMachine(browserPath: string): Promise<Report["machine"]> {
  const { output } = await run(browserPath, ["--version", "--no-sandbox"]);
  const processors = cpus();
  return {
    date: new Date().toISOString().slice(0, 10),
    processor: processors[0]?.model ?? "unknown",
    cores: processors.length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    node: process.version,
    browser: output.split("\n").at(-1) ?? "unknown",
  };
}
