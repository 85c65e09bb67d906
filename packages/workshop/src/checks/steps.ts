import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { run, type Outcome } from "../machine/run.ts";
import { buildPackages } from "../build-packages.ts";
import { CACHE, readPackages } from "../repository/workspace.ts";
import { checkPackedPackages } from "./packed-packages.ts";

export interface Step {
  readonly name: string;
  /** For the table at the end. */
  readonly what: string;
  readonly run: () => Promise<Outcome>;
}

/** Every check of the repository, the cheap ones first. */
export const STEPS: readonly Step[] = [
  {
    name: "format",
    what: "prettier; `pnpm format` mends it",
    run: () => run("prettier", ["--check", "--log-level", "warn", "."]),
  },
  {
    name: "lint",
    what: "oxlint with types",
    run: () => run("oxlint", ["--deny-warnings"]),
  },
  {
    name: "imports",
    what: "who may import whom",
    run: () => run("depcruise", ["packages", "examples"]),
  },
  {
    name: "unused",
    what: "files, exports and dependencies that nobody uses",
    run: () => run("knip", ["--config", "packages/workshop/knip.config.ts", "--no-config-hints"]),
  },
  {
    name: "types",
    what: "TypeScript, tests and examples included",
    run: checkTypes,
  },
  {
    name: "docs",
    what: "reference as generated, links, code blocks, site",
    run: checkDocumentation,
  },
  {
    name: "packages",
    what: "publint and are-the-types-wrong on what would be published",
    run: checkPackedPackages,
  },
];

async function checkTypes(): Promise<Outcome> {
  const outputs: string[] = [];
  mkdirSync(join(CACHE, "types"), { recursive: true });
  for (const { folder } of readPackages()) {
    const remembered = join(CACHE, "types", `${basename(folder)}.json`);
    const args = ["--project", folder, "--incremental", "--tsBuildInfoFile", remembered];
    const { ok, output } = await run("tsc", args);
    if (!ok) outputs.push(output);
  }
  return { ok: outputs.length === 0, output: outputs.join("\n") };
}

/** It imports the packages as they are built, so not before they are. */
async function checkDocumentation(): Promise<Outcome> {
  await buildPackages();
  const { checkDocs } = await import("../docs/check-docs.ts");
  return checkDocs();
}
