import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "./machine/run.ts";
import { hashInputs } from "./repository/hash-inputs.ts";
import {
  CACHE,
  groupByBuildOrder,
  needs,
  readPackages,
  type WorkspacePackage,
} from "./repository/workspace.ts";

/**
 * Builds every package whose sources, settings or dependencies changed since its last build,
 * dependencies first. Prints a line for each package that it builds.
 *
 * @throws Error with the builder's own output when a package does not build.
 */
export async function buildPackages(): Promise<void> {
  mkdirSync(join(CACHE, "build"), { recursive: true });
  const digests = new Map<string, string>();
  const buildable = readPackages().filter(({ manifest }) => manifest.scripts?.["build"] !== undefined);
  for (const group of groupByBuildOrder(buildable)) {
    for (const part of group) {
      const builtOn = needs(part).flatMap((name) => digests.get(name) ?? []);
      digests.set(part.name, hashInputs(part, builtOn));
    }
    await Promise.all(group.map((part) => buildPackage(part, digests.get(part.name) ?? "")));
  }
}

async function buildPackage({ name, folder }: WorkspacePackage, digest: string): Promise<void> {
  const stamp = join(CACHE, "build", basename(folder));
  if (
    existsSync(join(folder, "dist/index.js")) &&
    existsSync(stamp) &&
    readFileSync(stamp, "utf8") === digest
  )
    return;
  rmSync(stamp, { force: true });
  const startedMs = performance.now();
  const { ok, output } = await run("tsup", ["--silent"], { cwd: folder });
  if (!ok) throw new Error(`${name} does not build:\n${output}`);
  writeFileSync(stamp, digest);
  console.log(`built ${name} in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
}
