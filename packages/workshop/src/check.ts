import { globSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "./build.ts";
import { run, extendPath, type Outcome } from "./machine/run.ts";
import { packPackages } from "./pack-packages.ts";
import { CACHE, ROOT } from "./workspace.ts";

// `pnpm check [NAME...]`: runs the repository's checks, cheapest first.

const CHECKS: readonly (readonly [name: string, description: string, run: () => Promise<Outcome>])[] = [
  [
    "format",
    "prettier; `pnpm format` fixes it",
    () => run("prettier", ["--check", "--cache", "--log-level", "warn", "."]),
  ],
  ["lint", "oxlint, with type information", () => run("oxlint", ["--deny-warnings"])],
  ["imports", "allowed imports between packages", () => run("depcruise", ["packages", "examples"])],
  [
    "unused",
    "unused files, exports and dependencies",
    () => run("knip", ["--config", "packages/workshop/knip.config.ts", "--treat-config-hints-as-errors"]),
  ],
  ["types", "TypeScript, including tests and examples", checkTypes],
  ["docs", "generated reference, links, code blocks, site", checkDocumentation],
  ["packages", "publint and are-the-types-wrong on the packed packages", checkPackages],
];

/** Checks each project once, after the projects that it references, and only if it or one of them has changed. */
function checkTypes(): Promise<Outcome> {
  return run("tsc", ["--build", ...globSync("{packages,examples}/*{,/test}/tsconfig.json", { cwd: ROOT })]);
}

/** The check imports the built packages. */
async function checkDocumentation(): Promise<Outcome> {
  await build();
  const { checkDocs } = await import("./docs/check-docs.ts");
  return checkDocs();
}

/** Packs every public package as for a release, and checks the archives. */
async function checkPackages(): Promise<Outcome> {
  await build();
  const packed = join(CACHE, "packed");
  rmSync(packed, { recursive: true, force: true });
  const problems: string[] = [];
  for (const { name, filename: archive } of await packPackages([], packed)) {
    for (const [tool = "", ...args] of [
      ["publint", "run", "--strict", archive],
      ["attw", "--profile", "esm-only", "--format", "ascii", "--no-color", archive],
    ]) {
      const { ok, output } = await run(tool, args);
      if (!ok) problems.push(`${name}:\n${output}`);
    }
  }
  return { ok: problems.length === 0, output: problems.join("\n\n") };
}

extendPath();
const names = process.argv.slice(2);
const unknown = names.filter((name) => !CHECKS.some(([known]) => known === name));
if (unknown.length > 0) {
  console.error(`Unknown check: ${unknown.join(", ")}. Use ${CHECKS.map(([name]) => name).join(", ")}.`);
  process.exit(1);
}
const rows: string[] = [];
let hasFailed = false;
for (const [name, description, check] of CHECKS) {
  if (names.length > 0 && !names.includes(name)) continue;
  const startedMs = performance.now();
  // A check that cannot run counts as failed; the others still run.
  const { ok, output } = await check().catch((error: unknown) => ({ ok: false, output: String(error) }));
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const row = `${ok ? "ok    " : "FAILED"}  ${name.padEnd(9)} ${seconds.padStart(6)} s  ${description}`;
  console.log(ok ? row : `${output}\n${row}`);
  rows.push(row);
  hasFailed ||= !ok;
}
if (hasFailed) {
  console.log(`\n${rows.join("\n")}`);
  process.exitCode = 1;
}
