import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { runPnpm } from "./machine/run.ts";
import { readPackages, ROOT } from "./workspace.ts";

/** What every package's build depends on. */
const SHARED_INPUTS = ["pnpm-lock.yaml", "tsconfig.base.json", "packages/workshop/src/tsup-options.ts"];

/**
 * Builds the packages with an input newer than their last build, and those that depend on them, in their order.
 *
 * @throws Error with the builder's own output when a package does not build.
 */
export async function build(): Promise<void> {
  const sharedMs = newestMs(ROOT, SHARED_INPUTS);
  const changed = readPackages().filter(({ folder, manifest }) => {
    if (manifest.scripts?.["build"] === undefined) return false;
    // The declarations are written last.
    const builtMs = newestMs(folder, ["dist/index.d.ts"]);
    return builtMs < Math.max(sharedMs, newestMs(folder, ["package.json", "tsup.config.ts", "src/**"]));
  });
  if (changed.length === 0) return;
  console.log(`building ${changed.map(({ name }) => name).join(", ")} and what depends on them`);
  const filters = changed.flatMap(({ name }) => ["--filter", `...${name}`]);
  const { ok, output } = await runPnpm([...filters, "run", "build", "--silent"]);
  if (!ok) throw new Error(output);
}

/** When the newest of them was changed, folders included, as a file may be gone; 0 of none. */
function newestMs(cwd: string, patterns: readonly string[]): number {
  return Math.max(0, ...globSync(patterns, { cwd }).map((path) => statSync(join(cwd, path)).mtimeMs));
}
