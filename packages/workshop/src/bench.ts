import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import { writeDocument, writeSummary } from "./bench/report/document.ts";
import { select } from "./bench/selection.ts";
import { buildPackages } from "./build-packages.ts";
import { widenPath } from "./machine/run.ts";
import { ROOT } from "./repository/workspace.ts";

// `pnpm bench [--quick] [--write] [NAME...]`: measures, prints, and with --write makes docs/benchmarks.md.
// A signal ends it as an exit does, which ends what it has started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
widenPath();
await buildPackages();
// What is measured is imported as built.
const { SCENARIOS } = await import("./bench/scenarios.ts");
const { runScenarios } = await import("./bench/run-scenarios.ts");

try {
  const { write, ...selection } = select(process.argv.slice(2), SCENARIOS);
  const report = await runScenarios(selection);
  console.log(`\n${writeSummary(report)}`);
  if (report.failed.length > 0) process.exitCode = 1;
  if (write) {
    const notes = await readFile(join(import.meta.dirname, "bench/notes.md"), "utf8");
    const text = await format(writeDocument(report, notes), { parser: "markdown", printWidth: 110 });
    await writeFile(join(ROOT, "docs/benchmarks.md"), text);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
