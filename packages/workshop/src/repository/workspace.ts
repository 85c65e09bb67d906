import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly packageManager?: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface WorkspacePackage {
  readonly name: string;
  /** Absolute path. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The folder that holds pnpm-workspace.yaml. */
export const ROOT = join(import.meta.dirname, "../../../..");

/** Everything that can be made again: build stamps, reports, packed packages. */
export const CACHE = join(ROOT, ".cache");

/** The packages of `packages/` and of `examples/`, by folder name. */
export function readPackages(): WorkspacePackage[] {
  return ["packages", "examples"].flatMap((parent) =>
    readdirSync(join(ROOT, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => {
        const folder = join(ROOT, parent, entry.name);
        const manifest = readManifest(folder);
        return { name: manifest.name, folder, manifest };
      }),
  );
}

/** The package.json of a folder. */
export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

/**
 * Groups packages so that each group needs only packages of the groups before it. Development
 * dependencies don't count: a package's tests may use a package that is built from it.
 *
 * @throws Error when packages need each other in a circle.
 */
export function groupByBuildOrder(packages: readonly WorkspacePackage[]): WorkspacePackage[][] {
  const groups: WorkspacePackage[][] = [];
  let waiting = [...packages];
  while (waiting.length > 0) {
    const names = new Set(waiting.map(({ name }) => name));
    const ready = waiting.filter((candidate) => !needs(candidate).some((name) => names.has(name)));
    if (ready.length === 0) throw new Error(`Packages need each other in a circle: ${[...names].join(", ")}`);
    groups.push(ready);
    waiting = waiting.filter((candidate) => !ready.includes(candidate));
  }
  return groups;
}

/** Names of everything that the built package imports at run time. */
export function needs({ manifest }: WorkspacePackage): string[] {
  return Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
}
