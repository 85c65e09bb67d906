import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { runPnpm } from "./machine/run.ts";
import type { WorkspacePackage } from "./workspace.ts";

/**
 * Finds the packages to publish: all public ones, or those with these names and the packages of the workspace that
 * they need at run time.
 *
 * @param names Names with or without the scope: `@snap/client` or `client`.
 * @throws Error if a name is unknown or the package is private.
 */
export function findReleased(
  packages: readonly WorkspacePackage[],
  names: readonly string[],
): WorkspacePackage[] {
  const released = packages.filter(({ manifest }) => manifest.private !== true);
  if (names.length === 0) return released;
  const found = new Set<WorkspacePackage>();
  const add = (part: WorkspacePackage): void => {
    if (found.has(part)) return;
    found.add(part);
    // Not its devDependencies: a package's tests use packages that its users do not need.
    for (const name of Object.keys(part.manifest.dependencies ?? {})) {
      const dependency = released.find((other) => other.name === name);
      if (dependency !== undefined) add(dependency);
    }
  };
  for (const name of names) {
    const part = released.find((other) => other.name === name || other.name === `@snap/${name}`);
    if (part !== undefined) add(part);
    else throw new Error(`No package to publish: ${name}. Use ${released.map((p) => p.name).join(", ")}.`);
  }
  return released.filter((part) => found.has(part));
}

/**
 * Packs built packages for publication.
 *
 * @param destination A folder; created if it does not exist.
 * @returns The path of each package's archive.
 * @throws Error with the output of `pnpm pack`.
 */
export async function packPackages(
  packages: readonly WorkspacePackage[],
  destination: string,
): Promise<ReadonlyMap<WorkspacePackage, string>> {
  mkdirSync(destination, { recursive: true });
  const filters = packages.flatMap(({ name }) => ["--filter", name]);
  const { ok, output } = await runPnpm([...filters, "pack", "--pack-destination", destination]);
  if (!ok) throw new Error(`Cannot pack the packages:\n${output}`);
  return new Map(packages.map((part) => [part, join(destination, archiveName(part))]));
}

/** `@snap/client` 1.2.3 is in `snap-client-1.2.3.tgz`. */
function archiveName({ name, manifest }: WorkspacePackage): string {
  return `${name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
}
