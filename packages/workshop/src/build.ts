import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { runPnpm } from "./machine/run.ts";
import { readPackages, ROOT, type WorkspacePackage } from "./workspace.ts";

/** Inputs of every package's build. */
const SHARED_INPUTS = [
  "pnpm-lock.yaml",
  "tsconfig.base.json",
  "packages/workshop/src/{tsup-options,read-commit}.ts",
];

/** Inputs of one package's build. */
const INPUTS = ["package.json", "tsup.config.ts", "vite.config.ts", "src/**"];

/**
 * Builds the packages that changed since their last build, and their dependents, in dependency order.
 *
 * @throws Error with the build's output if it fails.
 */
export async function build(): Promise<void> {
  const changed = findChanged(readPackages(), newestMs(ROOT, SHARED_INPUTS));
  if (changed.length === 0) return;
  console.log(`building ${changed.map(({ name }) => name).join(", ")} and dependents`);
  const filters = changed.flatMap(({ name }) => ["--filter", `...${name}`]);
  await runBuild(filters);
}

/** Builds all packages, also unchanged ones: a build contains the commit that it was made from. */
export async function buildAll(): Promise<void> {
  await runBuild(["--recursive"]);
}

async function runBuild(selection: readonly string[]): Promise<void> {
  const { ok, output } = await runPnpm([...selection, "run", "build", "--silent"]);
  if (!ok) throw new Error(output);
}

/** Returns the packages whose build is older than one of its inputs or a dependency's build. */
export function findChanged(packages: readonly WorkspacePackage[], sharedMs: number): WorkspacePackage[] {
  return packages.filter(({ folder, manifest: { scripts, dependencies = {} } }) => {
    if (scripts?.["build"] === undefined) return false;
    const inputsMs = [sharedMs, newestMs(folder, INPUTS)];
    for (const { name, folder: other } of packages) if (name in dependencies) inputsMs.push(builtMs(other));
    return builtMs(folder) < Math.max(...inputsMs);
  });
}

/** The build writes the declarations last. */
function builtMs(folder: string): number {
  return newestMs(folder, ["dist/index.d.ts"]);
}

/** Newest modification time; 0 if there are no files. Includes folders, whose time changes when a file is deleted. */
function newestMs(cwd: string, patterns: readonly string[]): number {
  return Math.max(0, ...globSync(patterns, { cwd }).map((path) => statSync(join(cwd, path)).mtimeMs));
}
